import { randomUUID } from 'node:crypto'
import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import { inTransaction, type Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { lockRollups } from '../daily/roll-up-day.ts'
import { addVisitors } from '../daily/visitor-set.ts'
import type { Window } from '../protocol.ts'

/** Site whose days may lack goals. */
export interface QueuedSite {
  siteNo: number
  version: number
  /** Null for a site that is deleted, or gone. */
  teamId: string | null
}

export const selectQueued = query<{ now: Date; limit: number }, QueuedSite>(
  'select-goal-rollup-queue',
  `select goal_rollup_queue.site_no as "siteNo", version, team_id as "teamId"
  from goal_rollup_queue
  left join sites on sites.site_no = goal_rollup_queue.site_no and deleted_at is null
  where due_at <= :now
  order by version
  limit :limit::int`,
)

/** Unless the site was queued again since. */
export const dequeue = query<{ siteNo: number; version: number }>(
  'dequeue-goal-rollups',
  'delete from goal_rollup_queue where site_no = :siteNo and version = :version',
)

/** Puts a site behind the others. */
export const requeue = query<{ siteNo: number }>(
  'requeue-goal-rollups',
  "update goal_rollup_queue set version = nextval('dirty_versions') where site_no = :siteNo",
)

/** Leaves a site in the queue until later. */
export const putOff = query<{ siteNo: number; dueAt: Date }>(
  'put-off-goal-rollups',
  'update goal_rollup_queue set due_at = :dueAt where site_no = :siteNo',
)

/** Day whose goal rollup lacks something, with the goal rollup that can be added to. */
export interface UncountedDay extends Window {
  dayVersion: string
  rolledUpTo: number
  /** Null: there is none that agrees with the daily rollup. */
  version: string | null
  goalsTo: number | null
  /** Null without a goal rollup, and where it counts every goal. */
  goals: string[] | null
}

/** Days that lack one of the goals, or rows that their daily rollup has, newest first. */
export const selectUncounted = query<
  { siteNo: number; goals: string[]; before: Date; limit: number },
  UncountedDay
>('select-uncounted-goal-days')

/** Days without hits count every goal. */
const insertEmptyDays = query<{ siteNo: number; noVisitors: Buffer }>(
  'insert-empty-goal-days',
  `insert into daily_goal_rollups (site_no, starts_at, ends_at, day_version, rolled_up_to, goals, version)
  select site_no, starts_at, ends_at, version, rolled_up_to, null, gen_random_uuid()
  from daily_rollups
  where site_no = :siteNo::int and visitors = :noVisitors::bytea
  on conflict (site_no, starts_at, ends_at) do update set
    day_version = excluded.day_version,
    rolled_up_to = excluded.rolled_up_to,
    goals = excluded.goals,
    version = excluded.version
  where daily_goal_rollups.day_version <> excluded.day_version`,
)

const dropGoals = query<{ siteNo: number; goals: string[]; version: string }, { isDropped: boolean }>(
  'drop-goals-of-days',
  `update daily_goal_rollups
  set goals = array(select unnest(goals) intersect select unnest(:goals::uuid[])), version = :version::uuid
  where site_no = :siteNo and not goals <@ :goals::uuid[]
  returning true as "isDropped"`,
)
const dropCounts = query<{ siteNo: number; goals: string[] }>(
  'drop-counts-of-goals',
  'delete from daily_goal_counts where site_no = :siteNo and goal <> all(:goals::uuid[])',
)
const dropOldDays = query<{ siteNo: number }>(
  'drop-goal-days-without-details',
  `delete from daily_goal_rollups
  using sites
  where sites.site_no = :siteNo::int and daily_goal_rollups.site_no = :siteNo::int and starts_at < details_from`,
)

/** Adds goal rollups of days without hits, and removes what is read no more: other goals than these, and days without details. */
export function settleDays(db: Queryable, siteNo: number, goals: string[]): Promise<void> {
  return inTransaction(db, async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    await dropOldDays(tx, { siteNo })
    const dropped = await dropGoals(tx, { siteNo, goals, version: randomUUID() })
    if (dropped.length > 0) await dropCounts(tx, { siteNo, goals })
    await insertEmptyDays(tx, { siteNo, noVisitors: addVisitors(undefined, new Uint32Array()) })
  })
}
