import { defineConfig } from 'vitest/config'

/** Tests that start several processes or a browser. Beside the CPU-bound rest their processes start too slowly. */
const PROCESSES = [
  'test/embedded/**/*.test.ts',
  'test/tracker/**/*.test.ts',
  'test/contract/{boot,limits,metrics}.test.ts',
  'test/scripts/{import-command,payments-command}.test.ts',
]

/** Tests that stop or kill processes and expect the others to answer within seconds: one file at a time. */
const FAULTS = [
  'test/faults/**/*.test.ts',
  'test/contract/lifecycle.test.ts',
  'test/embedded/watchdog.test.ts',
]

/** One group of files after the other, each with its own number of workers. */
const project = (
  name: string,
  groupOrder: number,
  files: { include: string[]; exclude: string[]; maxWorkers: number },
) => ({
  extends: true as const,
  test: { name, ...files, sequence: { groupOrder } },
})

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: [['default', { summary: false }]],
    projects: [
      // A database in WebAssembly takes half a gigabyte and a core.
      project('shared', 0, {
        include: ['test/**/*.test.ts'],
        exclude: [...PROCESSES, ...FAULTS],
        maxWorkers: 2,
      }),
      project('processes', 1, { include: PROCESSES, exclude: FAULTS, maxWorkers: 2 }),
      project('faults', 2, { include: FAULTS, exclude: [], maxWorkers: 1 }),
    ],
  },
})
