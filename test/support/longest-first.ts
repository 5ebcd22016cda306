import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { PROJECTS } from './projects.ts'

/**
 * Files that take 15 s and more, the longest first. Vitest knows how long a file takes only after a run on the same machine, and
 * sorts by size until then: one of these at the end would leave a core idle. Those that mostly wait stand between those that compute.
 */
const LONG = [
  'faults/stalls',
  'web/security',
  'tracker/replay',
  'faults/kills',
  'retention/retention',
  'web/right',
  'faults/redis-sentinel',
  'web/every-page',
  'contract/ingestion',
  'contract/lifecycle',
  'rollups/daily-rollups',
  'rollups/live-tail',
  'revenue/import/same-as-events',
  'contract/boot',
  'contract/stats-hostile',
  'sharing/sweep',
  'faults/redis-cluster',
  'people/erase',
  'contract/access',
  'contract/stats-later-sessions',
  'contract/stats-goal-preview',
  'people/erase-random',
  'embedded/watchdog',
  'client/package',
  'scripts/import-command',
  'transfer/archive/team-round-trip',
  'transfer/archive/kept-numbers',
  'contract/described',
  'sql/filtered-queries',
  'ingestion/import/import-hits',
  'stats/recount',
  'contract/hostile',
  'tracker/events',
  'tracker/privacy',
  'queue/queue',
].map(name => `/test/${name}.test.ts`)

const ORDER: readonly string[] = PROJECTS

/** Tests that start, stop or kill several processes wait most of their time. */
const WAITING = /\/test\/(faults|embedded)\//

/**
 * Sorts test files as Vitest does, but the long ones of a project come first, then others that wait. A worker ends when its next file is
 * of another project, so projects are not mixed. Those of `unit` are last: short files that compute keep both cores busy until the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const turn = ({ project }: TestSpecification) => ORDER.indexOf(project.name)
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONG.findIndex(name => moduleId.endsWith(name))
      if (index >= 0) return index
      return LONG.length + Number(!WAITING.test(moduleId))
    }
    return sorted.toSorted((a, b) => turn(a) - turn(b) || place(a) - place(b))
  }
}
