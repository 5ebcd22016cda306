import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { ServiceDay } from '../protocol.ts'

/** A statement of its own: on Citus, sites lie on another server than their rows. */
const findDetailsFrom = query<{ siteNo: number }, { detailsFrom: Date | null }>(
  'find-details-of-service-days',
  'select details_from as "detailsFrom" from sites where site_no = :siteNo',
)

/** Days with details that are over by now. */
interface PastDays {
  siteNo: number
  detailsFrom: Date | null
  now: Date
}

/** Those that have a daily rollup, but no row: whether there are any. */
const findUnprepared = query<PastDays, { isMissing: boolean }>(
  'find-unprepared-service-days',
  `
  select true as "isMissing"
  from daily_rollups as day
  where day.site_no = :siteNo::int and day.ends_at <= :now::timestamptz
    and day.starts_at >= coalesce(:detailsFrom::timestamptz, '-infinity')
    and not exists (
      select from daily_service_events as counted
      where counted.site_no = :siteNo::int and counted.starts_at = day.starts_at and counted.ends_at = day.ends_at
    )
  limit 1`,
)

const lockServiceEvents = query<{ lock: number; siteNo: number }, { isLocked: boolean }>(
  'lock-service-events',
  'select pg_try_advisory_xact_lock(:lock::int, :siteNo::int) as "isLocked"',
)

const insertServiceDays = query<PastDays>(
  'insert-service-days',
  `
  insert into daily_service_events (site_no, starts_at, ends_at)
  select site_no, starts_at, ends_at
  from daily_rollups
  where site_no = :siteNo::int and ends_at <= :now::timestamptz
    and starts_at >= coalesce(:detailsFrom::timestamptz, '-infinity')
  on conflict (site_no, starts_at, ends_at) do nothing`,
)

/** Days of another time zone, and days without details, which are read no more. */
const deleteOldServiceDays = query<Omit<PastDays, 'now'>>(
  'delete-old-service-days',
  `
  delete from daily_service_events as counted
  where counted.site_no = :siteNo::int and (
    counted.starts_at < :detailsFrom::timestamptz
    or not exists (
      select from daily_rollups as day
      where day.site_no = :siteNo::int and day.starts_at = counted.starts_at and day.ends_at = counted.ends_at
    )
  )`,
)

const selectPrepared = query<{ siteNo: number }, ServiceDay>(
  'select-prepared-service-days',
  `
  select
    site_no as "siteNo",
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    version
  from daily_service_events
  where site_no = :siteNo::int and counts is null
  order by starts_at desc`,
)

/**
 * Gives the days of a site that are over a row without counts, and removes days that are read no more. A transaction that touches such a day
 * from then on deletes its row.
 * @returns the days to be counted, newest first; undefined while another transaction changes events of the service
 */
export async function prepareServiceDays(
  db: Db,
  siteNo: number,
  now: Date,
): Promise<ServiceDay[] | undefined> {
  const [site] = await findDetailsFrom(db, { siteNo })
  const past = { siteNo, detailsFrom: site?.detailsFrom ?? null, now }
  await deleteOldServiceDays(db, past)
  const [unprepared] = await findUnprepared(db, past)
  if (unprepared) {
    // Not waited for: what comes after a waiting exclusive lock would wait, too. A transaction that holds the shared one may have looked for
    // days to delete before these were there.
    const isPrepared = await db.begin(async tx => {
      const [lock] = await lockServiceEvents(tx, { lock: ADVISORY_LOCKS.serviceEvents, siteNo })
      if (lock!.isLocked) await insertServiceDays(tx, past)
      return lock!.isLocked
    })
    if (!isPrepared) return undefined
  }
  return selectPrepared(db, { siteNo })
}
