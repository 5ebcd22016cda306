import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DIMENSIONS_HASH } from '../../platform/dimensions/rolled-up.ts'
import { dayAround } from '../../storage/rollups/daily/roll-up-again.ts'
import { lockRollups } from '../../storage/rollups/daily/roll-up-day.ts'
import { datesOf, type Window } from '../../storage/rollups/protocol.ts'
import { detailsLimit } from './boundaries.ts'

/** Lower bound of all hit times. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')

interface RetainedSite {
  siteNo: number
  timezone: string
  retentionMonths: number
  firstEventAt: Date
  detailsFrom: Date | null
}

const selectRetained = query<void, RetainedSite>(
  'select-retained-sites',
  `select
    site_no as "siteNo",
    timezone,
    retention_months as "retentionMonths",
    first_event_at as "firstEventAt",
    details_from as "detailsFrom"
  from sites
  where deleted_at is null and retention_months is not null and first_event_at is not null
  order by site_no`,
)

const selectChunkEnds = query<void, { end: Date }>(
  'select-chunk-ends',
  `select distinct range_end as "end"
  from timescaledb_information.chunks
  where hypertable_schema = 'public' and hypertable_name in ('events', 'sessions', 'web_vitals')`,
)

/** Excludes changes of the options, payments and the first hit of the site until the transaction ends. */
const lockRetained = query<{ siteNo: number }, Pick<RetainedSite, 'timezone' | 'detailsFrom'>>(
  'lock-retained-site',
  `select timezone, details_from as "detailsFrom"
  from sites
  where site_no = :siteNo and deleted_at is null and retention_months is not null
  for no key update`,
)

/** Waits for the transactions that set marks, and blocks others that would. In the order in which storing locks them. */
const lockMarks = query<void, { aggregate: string }>(
  'lock-marks',
  `select aggregate
  from watermarks
  where aggregate in ('hits', 'daily_rollups')
  order by array_position(array['hits', 'daily_rollups'], aggregate)
  for no key update`,
)

const findUnready = query<
  {
    siteNo: number
    timezone: string
    start: Date
    dayStart: Date
    dayEnd: Date
    dimensionsHash: string
  },
  { reason: string | null }
>('find-unready-day')

type Kept = { siteNo: number; start: Date; end: Date }

const keepHitBuckets = query<Kept>('keep-hit-buckets')
const keepSessionBuckets = query<Kept>(
  'keep-session-buckets',
  `insert into kept_session_buckets (site_no, bucket, sessions, bounces, duration_ms)
  select
    site_no, time_bucket(interval '15 minutes', started_at), count(*), count(*) filter (where pageviews = 1),
    sum(duration_ms)
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
  group by 1, 2`,
)

const moveDetails = query<{ siteNo: number; detailsFrom: Date; now: Date }>(
  'move-details-from',
  'update sites set details_from = :detailsFrom, details_moved_at = :now where site_no = :siteNo',
)

/**
 * Moves the `details_from` of sites up to their limits, one local day in each transaction: copies the day's aggregates to kept
 * buckets, and lets readers use them instead of rows from then on. Deletes nothing. A day must be rolled up to its end and have no
 * dirty buckets; otherwise the site waits for the next run. Safe to stop at any point.
 * @returns true when time ran out
 */
export async function moveDetailsFrom(db: Db, now: Date, hasTime: () => boolean): Promise<boolean> {
  const sites = await selectRetained(db)
  if (sites.length === 0) return false
  const chunkEnds = (await selectChunkEnds(db)).map(({ end }) => end.getTime())
  for (const site of sites) {
    const limit = detailsLimit(site, chunkEnds, now)
    const first = dayAround(site.timezone, site.firstEventAt.getTime()).start
    let from = site.detailsFrom?.getTime() ?? first
    while (limit !== undefined && from < limit) {
      if (!hasTime()) return true
      const day = dayAround(site.timezone, from)
      if (!(await keepDay(db, site, day, now))) break
      from = day.end
      site.detailsFrom = new Date(from)
    }
  }
  return false
}

/** @returns false when the day is not ready, or the site has changed since it was read */
function keepDay(db: Db, site: RetainedSite, day: Window, now: Date): Promise<boolean> {
  const { siteNo, timezone, detailsFrom } = site
  return db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    const [present] = await lockRetained(tx, { siteNo })
    if (present?.timezone !== timezone || present.detailsFrom?.getTime() !== detailsFrom?.getTime())
      return false
    await lockMarks(tx)
    // Payments may be older than the first hit: their events go with the first day.
    const start = detailsFrom ? day.start : EARLIEST
    if (!(await isReady(tx, site, day, start))) return false
    const kept = { siteNo, ...datesOf({ start, end: day.end }) }
    await keepHitBuckets(tx, kept)
    await keepSessionBuckets(tx, kept)
    await moveDetails(tx, { siteNo, detailsFrom: new Date(day.end), now })
    return true
  }) as Promise<boolean>
}

async function isReady(
  tx: Transaction,
  { siteNo, timezone }: RetainedSite,
  day: Window,
  start: number,
): Promise<boolean> {
  const [found] = await findUnready(tx, {
    siteNo,
    timezone,
    start: new Date(start),
    dayStart: new Date(day.start),
    dayEnd: new Date(day.end),
    dimensionsHash: DIMENSIONS_HASH,
  })
  return found!.reason === null
}
