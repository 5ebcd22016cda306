import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { filesOf, PROJECTS, type Project } from './test/support/projects.ts'
import { SlowestReporter } from './test/support/slowest.ts'

const project = (name: Project) => ({
  extends: true as const,
  test: {
    name,
    include: filesOf(name),
    // A database in WebAssembly takes half a gigabyte and a core; some tests wait most of their time.
    maxWorkers: 3,
    ...(name !== 'unit' && { globalSetup: ['test/support/global-setup.ts'] }),
  },
})

export default defineConfig({
  test: {
    // Modules and the compiled database stay loaded from file to file: an import of everything takes 1 s, a first database 4 s.
    isolate: false,
    // A closed database of the embedded kind is only freed by a garbage collection, 300 MB each.
    execArgv: ['--import', './test/support/compiled-database.js'],
    testTimeout: 300_000,
    hookTimeout: 240_000,
    // What is waited for comes at once on an idle machine; a busy one takes its time.
    expect: { poll: { timeout: 60_000 } },
    reporters: [['default', { summary: false }], new SlowestReporter()],
    sequence: { sequencer: LongestFirst },
    projects: PROJECTS.map(project),
  },
})
