import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { filesOf, type Project } from './test/support/projects.ts'
import { SlowestReporter } from './test/support/slowest.ts'

/** Projects with the same number run at the same time, the others one after the other. */
const project = (name: Project, groupOrder: number, maxWorkers: number) => ({
  extends: true as const,
  test: {
    name,
    include: filesOf(name),
    maxWorkers,
    sequence: { groupOrder },
    ...(name !== 'unit' && { globalSetup: ['test/support/global-setup.ts'] }),
  },
})

export default defineConfig({
  test: {
    // Modules and the compiled database stay loaded from file to file: an import of everything takes 1 s, a first database 4 s.
    isolate: false,
    // A closed database of the embedded kind is only freed by a garbage collection, 300 MB each.
    execArgv: ['--import', './test/support/compiled-database.js'],
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // What is waited for comes at once on an idle machine; a busy one takes its time.
    expect: { poll: { timeout: 60_000 } },
    reporters: [['default', { summary: false }], new SlowestReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', 0, 2),
      // A database in WebAssembly takes half a gigabyte and a core; tests of the built service wait for it.
      project('database', 1, 3),
      // These wait most of their time, so more of them run side by side than there are cores.
      project('faults', 2, 3),
      project('browser', 2, 3),
    ],
  },
})
