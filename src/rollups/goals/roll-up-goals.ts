import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Db, Transaction } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { lockRollups, planOnce } from '../daily/roll-up-day.ts'
import { addVisitors } from '../daily/visitor-set.ts'
import { datesOf, type GoalDayToCount } from '../protocol.ts'
import { countSliceConversions, type SliceConversions, withoutNestedLoops } from './slice-conversions.ts'

interface DayKey {
  siteNo: number
  start: Date
  end: Date
}

const findVersions = query<DayKey, { dayVersion: string; rolledUpTo: Date; version: string | null }>(
  'find-goal-day-versions',
  `select daily_rollups.version as "dayVersion", daily_rollups.rolled_up_to as "rolledUpTo", goal_day.version
  from daily_rollups
  left join daily_goal_rollups as goal_day using (site_no, starts_at, ends_at)
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz`,
)

const upsertGoalDay = query<DayKey & { dayVersion: string; rolledUpTo: Date; goals: string[] }>(
  'upsert-goal-day',
  `insert into daily_goal_rollups (site_no, starts_at, ends_at, day_version, rolled_up_to, goals, version)
  values (
    :siteNo::int, :start::timestamptz, :end::timestamptz, :dayVersion::uuid, :rolledUpTo::timestamptz, :goals::uuid[],
    gen_random_uuid()
  )
  on conflict (site_no, starts_at, ends_at) do update set
    day_version = excluded.day_version,
    rolled_up_to = excluded.rolled_up_to,
    goals = excluded.goals,
    version = excluded.version`,
)

/** Deletes the counts of a day, except those of some goals. */
const deleteOtherCounts = query<DayKey & { kept: string[] }>(
  'delete-other-goal-counts',
  `delete from daily_goal_counts
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz
    and goal <> all(:kept::uuid[])`,
)

const selectVisitors = query<DayKey & { goals: string[] }, { goal: string; visitors: Buffer }>(
  'select-goal-visitors',
  `select goal, visitors
  from daily_goal_counts
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz
    and goal = any(:goals::uuid[])`,
)

const addCounts = query<DayKey & { goal: string; conversions: number; revenue: string; visitors: Buffer }>(
  'add-goal-counts',
  `insert into daily_goal_counts (site_no, starts_at, ends_at, goal, conversions, revenue, visitors)
  values (
    :siteNo::int, :start::timestamptz, :end::timestamptz, :goal::uuid, :conversions::bigint, :revenue::numeric,
    :visitors::bytea
  )
  on conflict (site_no, starts_at, ends_at, goal) do update set
    conversions = daily_goal_counts.conversions + excluded.conversions,
    revenue = daily_goal_counts.revenue + excluded.revenue,
    visitors = excluded.visitors`,
)

/**
 * Counts goals on a day that has a daily rollup, and adds them to its goal rollup. A hit that is stored meanwhile below the watermark
 * leaves a mark: the daily rollup is then built again, with another version, which makes the goal rollup unused.
 * Nothing is written when one of the two has changed since the day was chosen; the site is in the queue again then.
 */
export async function rollUpGoals(db: Db, day: GoalDayToCount): Promise<undefined> {
  const { siteNo, parts, rolledUpTo } = day
  const counted = await inSnapshot(db, async tx => {
    await planOnce(tx)
    await withoutNestedLoops(tx)
    const byPart: Map<number, SliceConversions>[] = []
    for (const { goals, from, targets } of parts) {
      const slice = { start: day.start, end: day.end, from, to: rolledUpTo }
      const currencies = goals.map(({ currency }) => currency)
      byPart.push(await countSliceConversions(tx, siteNo, slice, targets, currencies))
    }
    return parts.flatMap(({ goals }, index) =>
      [...byPart[index]!].map(([goal, counts]) => ({ goal: goals[goal]!.key, ...counts })),
    )
  })
  await db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    const key: DayKey = { siteNo, ...datesOf(day) }
    const [present] = await findVersions(tx, key)
    const isSame = present?.dayVersion === day.dayVersion && (!day.version || present.version === day.version)
    if (isSame) await writeCounts(tx, key, day, present.rolledUpTo, counted)
  })
}

/** @param rolledUpTo of the daily rollup now: it may have moved on, over a time without hits */
async function writeCounts(
  tx: Transaction,
  key: DayKey,
  { dayVersion, version, parts }: GoalDayToCount,
  rolledUpTo: Date,
  counted: readonly (SliceConversions & { goal: string })[],
): Promise<void> {
  const grown = version === null ? [] : parts.filter(({ from }) => from !== null)
  const goals = parts.flatMap(part => part.goals.map(goal => goal.key))
  await upsertGoalDay(tx, { ...key, dayVersion, rolledUpTo, goals })
  await deleteOtherCounts(tx, { ...key, kept: grown.flatMap(part => part.goals.map(goal => goal.key)) })
  const stored = await selectVisitors(tx, { ...key, goals: counted.map(({ goal }) => goal) })
  const before = new Map(stored.map(({ goal, visitors }) => [goal, visitors]))
  const added = counted.map(({ goal, conversions, revenue, visitors }) =>
    addCounts(tx, {
      ...key,
      goal,
      conversions,
      revenue: String(revenue),
      visitors: addVisitors(before.get(goal), visitors),
    }),
  )
  await Promise.all(added)
}
