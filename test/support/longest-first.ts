import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take 15 s and more, the longest first. Vitest knows how long a file takes only after a run on the same machine, and
 * sorts by size until then: one of these at the end would leave a core idle.
 */
const LONG = [
  'faults/stalls',
  'faults/kills',
  'contract/lifecycle',
  'contract/boot',
  'scripts/import-command',
  'embedded/watchdog',
  'retention/retention',
  'rollups/daily-rollups',
  'contract/stats-hostile',
  'client/package',
  'sharing/sweep',
  'people/erase',
  'transfer/archive/team-round-trip',
  'transfer/archive/kept-numbers',
  'contract/described',
  'contract/ingestion',
  'sql/filtered-queries',
  'ingestion/import/import-hits',
  'stats/recount',
  'contract/hostile',
  'contract/access',
  'tracker/events',
  'tracker/privacy',
  'pages/pages',
].map(name => `/test/${name}.test.ts`)

/** Sorts test files as Vitest does, but the long ones and those that wait for time limits come first: then both cores are busy until the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const waits = ({ project }: TestSpecification) => Number(project.name === 'faults')
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONG.findIndex(name => moduleId.endsWith(name))
      return index < 0 ? LONG.length : index
    }
    return sorted.toSorted((a, b) => group(a) - group(b) || waits(b) - waits(a) || place(a) - place(b))
  }
}
