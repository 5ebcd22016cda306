import { stampChanges } from '../../columns/stamps.ts'
import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { groupBy } from '../../lib/group-by.ts'
import { queueGoals } from '../goals/queue-goals.ts'

const shareServiceEvents = query<{ lock: number; siteNo: number }>(
  'share-service-events',
  'select pg_advisory_xact_lock_shared(:lock::int, :siteNo::int)',
)

// Locks the days in their order, so that two transactions do not wait for each other.
const deleteServiceDays = query<
  { siteNo: number; times: Date[]; first: Date; last: Date },
  { isDeleted: boolean }
>(
  'delete-service-days',
  `
  with touched as (
    select starts_at, ends_at
    from daily_service_events
    where site_no = :siteNo::int and starts_at <= :last::timestamptz and ends_at > :first::timestamptz
      and exists (select from unnest(:times::timestamptz[]) as at where at >= starts_at and at < ends_at)
    order by starts_at, ends_at
    for update
  )
  delete from daily_service_events as day
  using touched
  where day.site_no = :siteNo::int and day.starts_at = touched.starts_at and day.ends_at = touched.ends_at
  returning true as "isDeleted"`,
)

/**
 * Deletes the counts of the days on which events of the service are written, changed or deleted, and stamps their columns. Every transaction
 * that does so must call it, before or after: otherwise reads keep the old numbers.
 */
export async function forgetServiceDays(
  tx: Transaction,
  touched: readonly { siteNo: number; at: Date }[],
): Promise<void> {
  const bySite = [...groupBy(touched, ({ siteNo }) => siteNo)].sort(([a], [b]) => a - b)
  for (const [siteNo, rows] of bySite) {
    const times = [...new Set(rows.map(({ at }) => at.getTime()))].sort((a, b) => a - b)
    await stampChanges(
      tx,
      'service',
      times.map(at => ({ siteNo, at })),
    )
    // The lock is a statement of its own: the next one must see the days that were prepared for counting until the lock was given.
    const [, deleted] = await Promise.all([
      shareServiceEvents(tx, { lock: ADVISORY_LOCKS.serviceEvents, siteNo }),
      deleteServiceDays(tx, {
        siteNo,
        times: times.map(at => new Date(at)),
        first: new Date(times[0]!),
        last: new Date(times.at(-1)!),
      }),
    ])
    if (deleted.length > 0) await queueGoals(tx, { siteNo })
  }
}
