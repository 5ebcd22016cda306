import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ReportedRun } from './test/support/report.ts'
import { WaitingFirst } from './test/support/run-order.ts'
import { IS_QUICK } from './test/support/runs.ts'
import { selectedFiles } from './test/support/test-files.ts'

/** Cases with these tags are left out: `full` by the quick check only. */
const leftOut = [...(IS_QUICK ? ['!full'] : []), ...(process.env.TEST_DATABASE_URL ? [] : ['!native'])]

export default defineConfig({
  test: {
    include: selectedFiles(),
    maxWorkers: availableParallelism(),
    // Modules and the compiled database stay loaded from file to file: an import of everything takes 1 s, a first database 4 s.
    isolate: false,
    // A closed database of the embedded kind is only freed by a garbage collection, 300 MB each.
    execArgv: ['--import', './test/support/compiled-database.js'],
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: WaitingFirst },
    setupFiles: ['test/support/seed-properties.ts'],
    testTimeout: 300_000,
    hookTimeout: 240_000,
    // What is waited for comes at once on an idle machine; a busy one takes its time.
    expect: { poll: { timeout: 60_000 } },
    reporters: [['default', { summary: false }], new ReportedRun()],
    tags: [
      { name: 'full', description: 'Left out of the quick check.' },
      { name: 'native', description: 'Needs a TimescaleDB server, on which sessions run at the same time.' },
    ],
    ...(leftOut.length > 0 && { tagsFilter: [leftOut.join(' && ')] }),
  },
})
