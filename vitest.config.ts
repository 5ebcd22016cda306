import { defineConfig } from 'vitest/config'

/** What starts several processes or a browser, and counts on their answers within seconds: one file at a time, after the rest. */
const ALONE = [
  'test/faults/**/*.test.ts',
  'test/embedded/**/*.test.ts',
  'test/tracker/**/*.test.ts',
  'test/contract/{boot,lifecycle,upgrade,limits,metrics}.test.ts',
  'test/scripts/{import-command,payments-command}.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: [['default', { summary: false }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
          // A database in WebAssembly takes half a gigabyte and a core.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
