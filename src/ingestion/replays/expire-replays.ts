import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { limitTime } from '../../platform/lib/time-budget.ts'
import type { Job } from '../../storage/rollups/scheduler.ts'
import { deleteReplay, lockReplays } from './delete-replays.ts'

/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000
/** Sessions that are looked up at once. */
const MOST_SESSIONS = 100

/** Replays that are older than their site keeps them, or than the details of the site. */
const selectExpired = query<{ now: Date; limit: number }, { siteNo: number; sessionNo: number }>(
  'select-expired-replays',
  `select expired.site_no as "siteNo", expired.session_no as "sessionNo"
  from sites
  cross join lateral (
    select site_no, session_no
    from session_replays
    where site_no = sites.site_no
      and (last_at < :now::timestamptz - make_interval(days => sites.replay_days) or session_at < sites.details_from)
    order by last_at
    limit :limit::int
  ) as expired
  where sites.deleted_at is null
  limit :limit::int`,
)

/** What no site keeps, and a day more: the chunks of a session lie within a day. */
const dropOld = query<{ now: Date }>(
  'drop-old-replay-chunks',
  `select drop_chunks('replay_chunks', older_than => :now::timestamptz - make_interval(days => longest.days + 1))
  from (select coalesce(max(replay_days), 90) as days from sites where deleted_at is null) as longest`,
)

const limitLockWait = query('limit-lock-wait-of-replays', "select set_config('lock_timeout', '2s', true)")

/**
 * Deletes replays that are past their age, one session in one transaction; days that no site keeps are dropped as a whole. Safe to stop
 * at any point.
 * @returns true when more work remains
 */
export async function expireReplays(db: Db, now: Date, hasTime = limitTime(BUDGET_MS)): Promise<boolean> {
  await db.begin(async tx => {
    await limitLockWait(tx)
    await dropOld(tx, { now })
  })
  for (;;) {
    const expired = await selectExpired(db, { now, limit: MOST_SESSIONS })
    for (const session of expired) {
      if (!hasTime()) return true
      await db.begin(async tx => {
        await lockReplays(tx, session.siteNo)
        await deleteReplay(tx, session)
      })
    }
    if (expired.length < MOST_SESSIONS) return false
  }
}

export const REPLAY_JOBS: readonly Job[] = [
  { name: 'expire replays', everyMs: 5 * MINUTE_MS, run: ({ db }, now) => expireReplays(db, now) },
]
