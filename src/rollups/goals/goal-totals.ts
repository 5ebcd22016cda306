import type { LRUCache } from 'lru-cache'
import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { type DayRange, keyOf } from '../daily/coverage.ts'
import { bytesOf, type DistinctVisitors, uniteSets } from '../daily/visitor-set.ts'
import { arraysOf } from '../protocol.ts'

/** Conversions of a goal in a day range; revenue in minor units. */
export interface GoalTotals {
  conversions: number
  revenue: bigint
  visitors: DistinctVisitors
}
/** By `keyOf`. */
export type GoalCache = LRUCache<string, GoalTotals>

interface StoredCounts {
  goal: string
  start: number
  conversions: number
  revenue: string
  /** Serialized visitor set, base64. */
  visitors: string
}

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long.
const selectCounts = query<
  { siteNo: number; goals: string[]; starts: readonly Date[]; ends: readonly Date[] },
  StoredCounts
>(
  'select-daily-goal-counts',
  `
  select
    goal,
    (extract(epoch from day.starts_at) * 1000)::bigint as start,
    conversions,
    revenue::text,
    encode(visitors, 'base64') as visitors
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  join daily_goal_counts on
    daily_goal_counts.site_no = :siteNo::int and daily_goal_counts.starts_at = day.starts_at
    and daily_goal_counts.ends_at = day.ends_at and goal = any(:goals::uuid[])`,
)

/**
 * Returns the totals of goals in each of some day ranges, from the cache or from the stored days. Call it in the transaction that has
 * read the versions of the days: otherwise the content of one version could be cached under another.
 * @param ranges of goal rollups
 */
export async function readGoalTotals(
  tx: Queryable,
  { goals: known }: { goals: GoalCache },
  siteNo: number,
  goals: readonly string[],
  ranges: readonly DayRange[],
): Promise<Map<string, GoalTotals[]>> {
  const totals = new Map<string, GoalTotals[]>(goals.map(goal => [goal, []]))
  const missing: { goal: string; range: DayRange; key: string }[] = []
  for (const range of ranges) {
    for (const goal of goals) {
      const key = keyOf(range, `goal/${goal}`)
      const found = known.get(key)
      if (found) totals.get(goal)!.push(found)
      else missing.push({ goal, range, key })
    }
  }
  if (missing.length === 0) return totals
  const stored = await readCounts(
    tx,
    siteNo,
    missing.map(({ goal }) => goal),
    missing.map(({ range }) => range),
  )
  for (const { goal, range, key } of missing) {
    const added = addUp(range.flatMap(({ start }) => stored.get(`${goal}/${start}`) ?? []))
    totals.get(goal)!.push(added)
    known.set(key, added, { size: bytesOf(added.visitors) + 300 + key.length })
  }
  return totals
}

async function readCounts(tx: Queryable, siteNo: number, goals: string[], ranges: DayRange[]) {
  const days = [...new Set(ranges)].flat()
  const rows = await selectCounts(tx, { siteNo, goals: [...new Set(goals)], ...arraysOf(days) })
  return new Map(rows.map(row => [`${row.goal}/${row.start}`, row]))
}

const addUp = (days: readonly StoredCounts[]): GoalTotals => ({
  conversions: days.reduce((sum, { conversions }) => sum + conversions, 0),
  revenue: days.reduce((sum, { revenue }) => sum + BigInt(revenue), 0n),
  visitors: uniteSets(days.map(({ visitors }) => Buffer.from(visitors, 'base64'))),
})
