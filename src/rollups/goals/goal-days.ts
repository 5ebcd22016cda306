import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { type Coverage, coverageOf, type DailyRollup } from '../daily/coverage.ts'
import { findFirstEvent, lengthOf, MAX_GAPS_MS, partsSince, untilNewestHit } from '../daily/read-coverage.ts'
import { SILENCE_MS } from '../daily/row-slice.ts'
import { datesOf, type Window } from '../protocol.ts'
import type { ConversionSlice } from './slice-conversions.ts'

/** Goal rollup of a day; its version changes with every change of what it counts. */
export interface GoalDay extends DailyRollup {
  /** Those of the asked goals that it counts; null for all of them. */
  counted: string[] | null
}

// Left out: days whose daily rollup is marked, or was built again since.
const selectGoalDays = query<{ siteNo: number; start: Date; end: Date; goals: string[] }, GoalDay>(
  'select-goal-days',
  `
  select
    site_no as "siteNo",
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    (extract(epoch from goal_day.rolled_up_to) * 1000)::bigint as "rolledUpTo",
    goal_day.version,
    case when not goals @> :goals::uuid[]
      then array(select unnest(goals) intersect select unnest(:goals::uuid[]))::text[]
    end as counted
  from daily_goal_rollups as goal_day
  join daily_rollups using (site_no, starts_at, ends_at)
  where site_no = :siteNo::int and starts_at >= :start::timestamptz and ends_at <= :end::timestamptz
    and day_version = daily_rollups.version
    and not exists (
      select from dirty_buckets
      where aggregate = 'daily_rollups' and dirty_buckets.site_no = goal_day.site_no
        and bucket >= starts_at and bucket < ends_at
    )
  order by starts_at, ends_at`,
)

/** Returns the goal rollups inside a window, in order, that agree with the rows. */
const readGoalDays = (
  tx: Queryable,
  siteNo: number,
  window: Window,
  goals: readonly string[],
): Promise<GoalDay[]> => selectGoalDays(tx, { siteNo, ...datesOf(window), goals: [...goals] })

/** Goals that are counted on the same days, and what their counts of a window are added up from. */
export interface GoalGroup {
  goals: string[]
  rollups: GoalDay[]
  /** What the rollups lack: counted from rows. */
  slices: ConversionSlice[]
}

/**
 * Divides goals into groups by the days that count them. Goals of which too much of the window is not rolled up are left out: one
 * statement over all rows is faster then.
 */
export async function groupGoals(
  tx: Queryable,
  siteNo: number,
  window: Window,
  goals: readonly string[],
): Promise<GoalGroup[]> {
  const days = await readGoalDays(tx, siteNo, window, goals)
  const groups: GoalGroup[] = []
  for (const { members, counting } of divide(days, goals)) {
    const coverage = coverageOf(window, counting)
    const slices = await slicesOf(tx, siteNo, coverage)
    if (slices) groups.push({ goals: members, rollups: coverage.rollups, slices })
  }
  return groups
}

function divide(days: readonly GoalDay[], goals: readonly string[]) {
  const partial = days.filter(({ counted }) => counted !== null)
  const groups = new Map<string, string[]>()
  for (const goal of goals) {
    const held = partial.map(({ counted }) => (counted!.includes(goal) ? '1' : '0')).join('')
    const members = groups.get(held)
    if (members) members.push(goal)
    else groups.set(held, [goal])
  }
  return [...groups.values()].map(members => ({
    members,
    counting: days.filter(({ counted }) => counted === null || counted.includes(members[0]!)),
  }))
}

/** @returns undefined when too little of the window is rolled up */
async function slicesOf(
  tx: Queryable,
  siteNo: number,
  { rollups, tails, gaps }: Coverage<GoalDay>,
): Promise<ConversionSlice[] | undefined> {
  if (rollups.length === 0) return undefined
  const missing = gaps.length > 0 ? await withHits(tx, siteNo, gaps) : []
  if (lengthOf(missing) > MAX_GAPS_MS) return undefined
  return [
    ...missing.map(gap => ({ ...gap, from: null, to: null })),
    // `closedFrom` lies SILENCE_MS before the time up to which the days are rolled up.
    ...tails.map(({ start, end, closedFrom }) => ({ start, end, from: closedFrom! + SILENCE_MS, to: null })),
  ]
}

/** Returns the gaps without the time before the first hit and, where they are long, after the newest one. */
async function withHits(tx: Queryable, siteNo: number, gaps: readonly Window[]): Promise<Window[]> {
  const [site] = await findFirstEvent(tx, { siteNo })
  const missing = partsSince(gaps, site?.at ?? Number.POSITIVE_INFINITY)
  return lengthOf(missing) > MAX_GAPS_MS ? untilNewestHit(tx, siteNo, missing) : missing
}
