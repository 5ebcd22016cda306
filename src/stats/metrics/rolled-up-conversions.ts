import { goalKey } from '../../goals/goal-key.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { runTask, type Window } from '../../rollups/protocol.ts'
import { toWindow } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { listInLastHits } from '../resolve/goal-values.ts'
import { findRollupTargets } from '../resolve/rollup-targets.ts'
import type { ConversionCounts } from './conversions.ts'

/** Where rows are read in slices, so many of them are read at once. */
const MOST_UNSLICED_MS = 2 * HOUR_MS

const isShort = (windows: readonly Window[], now: Date) =>
  windows.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, now.getTime()) - start), 0) <=
  MOST_UNSLICED_MS

/**
 * Returns the conversions of goals in a range without filters, from goal rollups and from rows that they do not hold yet. Left out:
 * goals of which the rollups hold too little, such as new ones, until the scheduler has counted them.
 * @throws AppError as `findTargets`
 */
export async function countRolledUpGoals(
  services: StatsServices,
  site: StatsSite,
  resolved: ResolvedQuery,
  goals: readonly GoalRecord[],
): Promise<Map<GoalRecord, ConversionCounts>> {
  const { siteNo } = resolved
  const window = toWindow(resolved)
  const keyed = goals.map(goal => ({ goal, key: goalKey(goal) }))
  if (window.start >= window.end) return new Map()
  const keys = [...new Set(keyed.map(({ key }) => key))]
  const found = await runTask(services.rollups, 'coverGoals', { siteNo, window, goals: keys })
  const covered = services.slices ? found.filter(group => isShort(group.windows, services.now())) : found
  if (covered.length === 0) return new Map()
  const members = covered.map(group => keyed.filter(({ key }) => group.goals.includes(key)))
  const groups = await Promise.all(
    covered.map(async ({ windows }, index) => ({
      goals: members[index]!.map(({ goal, key }) => ({ key, currency: goal.currency ?? '' })),
      ...(await findRollupTargets(
        services,
        { siteNo, teamId: site.teamId },
        windows,
        members[index]!.map(({ goal }) => goal),
        (span, kinds) => listInLastHits(services, span, kinds),
      )),
    })),
  )
  const counted = await runTask(services.rollups, 'countGoals', { siteNo, window, groups })
  return new Map(counted ? members.flat().map(({ goal }, index) => [goal, counted[index]!]) : [])
}
