import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ReportedRun } from './test/support/report.ts'
import { PROJECTS, type Project, selectedFiles } from './test/support/selected-files.ts'
import { ProjectsInOrder } from './test/support/sequence.ts'

const project = (name: Project) => ({
  extends: true as const,
  test: {
    name,
    include: selectedFiles(name),
    maxWorkers: availableParallelism(),
    ...(name !== 'unit' && { globalSetup: ['test/support/global-setup.ts'] }),
  },
})

/** A case with a tag runs only where its tag is asked for; `full` is asked for by everything but the quick check. */
const leftOut = [
  ...(process.env.TEST_SET === 'quick' ? ['!full'] : []),
  ...(process.env.TEST_DATABASE_URL ? [] : ['!native']),
]

export default defineConfig({
  test: {
    // Modules and the compiled database stay loaded from file to file: an import of everything takes 1 s, a first database 4 s.
    isolate: false,
    // A closed database of the embedded kind is only freed by a garbage collection, 300 MB each.
    execArgv: ['--import', './test/support/compiled-database.js'],
    setupFiles: ['test/support/seed-properties.ts'],
    testTimeout: 300_000,
    hookTimeout: 240_000,
    // What is waited for comes at once on an idle machine; a busy one takes its time.
    expect: { poll: { timeout: 60_000 } },
    reporters: [['default', { summary: false }], new ReportedRun()],
    sequence: { sequencer: ProjectsInOrder },
    tags: [
      { name: 'full', description: 'Left out of the quick check.' },
      { name: 'native', description: 'Needs a TimescaleDB server, on which sessions run at the same time.' },
    ],
    ...(leftOut.length > 0 && { tagsFilter: [leftOut.join(' && ')] }),
    projects: PROJECTS.map(project),
  },
})
