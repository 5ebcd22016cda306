import type { Db } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { countSliceHits, hitSlice } from '../daily/row-slice.ts'
import { addVisitors } from '../daily/visitor-set.ts'
import { removeMarks } from '../dirty.ts'
import { BUCKET_MS, type Window } from '../protocol.ts'
import { readCountedFrom } from '../session-counts.ts'
import { raiseWatermark, readWatermark } from '../watermarks.ts'
import { countTypes, type LogCounts } from './recent-log.ts'

// Hits of busy sites by quarter-hour. They lie between what hits_15m and rollups hold and the last seconds: a site with a thousand hits a
// second has a million rows there.

/** Most hits are stored within a second; a later one marks its bucket. */
const LAG_MS = 10_000
/** hits_15m holds hits before an hour ago; one bucket more, for rounds that come late. */
export const KEPT_MS = HOUR_MS + BUCKET_MS
/** A site with as many hits in a minute is busy: for others, counting rows takes no longer than reading counts. */
const BUSY_HITS = 3_000

const selectBusySites = query<{ from: Date; to: Date; hits: number }, { siteNo: number }>(
  'select-busy-sites',
  `
  select site_no as "siteNo"
  from sites
  where deleted_at is null and first_event_at is not null
    and exists (
      select from events
      where events.site_no = sites.site_no and at >= :from::timestamptz and at < :to::timestamptz
      order by at
      offset :hits::int - 1
    )
  order by site_no`,
)

/** What a bucket of a site holds, and its mark: both may be absent. */
interface BucketState {
  bucket: Date
  countedTo: number | null
  version: number | null
  mark: number | null
}

const selectStates = query<{ siteNo: number; buckets: Date[] }, BucketState>(
  'select-recent-states',
  `
  select
    bucket, (extract(epoch from counted_to) * 1000)::bigint as "countedTo", counted.version, mark.version as mark
  from unnest(:buckets::timestamptz[]) as asked (bucket)
  left join (select bucket, counted_to, version from recent_hits where site_no = :siteNo::int) as counted using (bucket)
  left join (
    select bucket, version from dirty_buckets where aggregate = 'recent_hits' and site_no = :siteNo::int
  ) as mark using (bucket)
  order by bucket desc`,
)

/** Locks the counts of a bucket, if they are still the version that was read. */
const lockRecent = query<
  { siteNo: number; bucket: Date; version: number },
  { pageviews: number; customEvents: number; visitors: Buffer; types: LogCounts | null }
>(
  'lock-recent-hits',
  `
  select
    pageviews, custom_events as "customEvents", visitors, case when types_version = version then types end as types
  from recent_hits
  where site_no = :siteNo::int and bucket = :bucket::timestamptz and version = :version::bigint
  for update`,
)

interface Written {
  siteNo: number
  bucket: Date
  countedTo: Date
  pageviews: number
  customEvents: number
  visitors: Buffer
  /** JSON object; null when the hits before were counted without types. */
  types: string | null
  /** That of the row, and of its types. */
  version: number
  /** The mark that this removes. */
  mark: number | null
}

const insertRecent = query<Written, { bucket: Date }>(
  'insert-recent-hits',
  `
  insert into recent_hits (
    site_no, bucket, counted_to, pageviews, custom_events, visitors, types, version, types_version, counted_anew
  )
  values (
    :siteNo::int, :bucket::timestamptz, :countedTo::timestamptz, :pageviews::bigint, :customEvents::bigint, :visitors::bytea,
    :types::text::jsonb, :version::bigint, :version::bigint, coalesce(:mark::bigint, 0)
  )
  on conflict (site_no, bucket) do nothing
  returning bucket`,
)

/** Draws a version: an update cannot do so itself on every server. */
const drawVersion = query<object, { version: number }>(
  'draw-recent-version',
  "select nextval('dirty_versions') as version",
)

const updateRecent = query<Written>(
  'update-recent-hits',
  `
  update recent_hits
  set
    counted_to = :countedTo::timestamptz,
    pageviews = :pageviews::bigint,
    custom_events = :customEvents::bigint,
    visitors = :visitors::bytea,
    types = :types::text::jsonb,
    version = :version::bigint,
    types_version = :version::bigint,
    counted_anew = coalesce(:mark::bigint, counted_anew)
  where site_no = :siteNo::int and bucket = :bucket::timestamptz`,
)

// Marks of buckets that are older than all counts mean nothing. Those that are being set now go with the next round: storing locks marks in
// another order.
const deleteOld = query<{ before: Date }>(
  'delete-old-recent-hits',
  `
  with gone as (delete from recent_hits where bucket < :before::timestamptz)
  delete from dirty_buckets
  where ctid = any(array(
    select ctid from dirty_buckets
    where aggregate = 'recent_hits' and bucket < :before::timestamptz
    for update skip locked
  ))`,
)

/**
 * Counts the hits of busy sites up to some seconds ago. Changes no number that a reader gets, and is safe to stop at any point.
 * @param oldestWaiting when the oldest hits that are not stored came, Unix milliseconds; counts stay before them, since each would mark
 * its bucket
 * @param busyHits hits a minute from which on a site is busy
 */
export async function countRecentHits(
  db: Db,
  now: Date,
  { oldestWaiting = now.getTime(), busyHits = BUSY_HITS } = {},
): Promise<void> {
  const to = Math.min(now.getTime(), oldestWaiting) - LAG_MS
  // Before the watermark rises: late hits leave no marks in buckets that are too old by the watermark.
  await deleteOld(db, { before: new Date(to - KEPT_MS - BUCKET_MS) })
  // A process of an earlier version may still store, without marks.
  if (now.getTime() < (await readCountedFrom(db))) return
  const sites = await selectBusySites(db, {
    from: new Date(to - MINUTE_MS),
    to: new Date(to),
    hits: busyHits,
  })
  // While all sites are quiet, the watermark stays: late hits then leave no marks.
  if (sites.length > 0 && (await isRaisedTo(db, to)))
    for (const { siteNo } of sites) await countSite(db, siteNo, to)
}

/** @returns false when hits have been waiting, or the clock was set back */
async function isRaisedTo(db: Db, to: number): Promise<boolean> {
  await raiseWatermark(db, { aggregate: 'recent_hits', watermark: new Date(to) })
  const [state] = await readWatermark(db, { aggregate: 'recent_hits' })
  return state?.watermark === to
}

async function countSite(db: Db, siteNo: number, to: number): Promise<void> {
  const buckets = bucketsIn({ start: to - KEPT_MS, end: to }).map(bucket => new Date(bucket))
  for (const state of await selectStates(db, { siteNo, buckets })) {
    const end = Math.min(to, state.bucket.getTime() + BUCKET_MS)
    if (state.mark !== null || (state.countedTo ?? 0) < end) await countBucket(db, siteNo, state, end)
  }
}

/** Returns the starts of the buckets that overlap a window. */
function bucketsIn({ start, end }: Window): number[] {
  const first = Math.floor(start / BUCKET_MS) * BUCKET_MS
  return Array.from({ length: Math.ceil((end - first) / BUCKET_MS) }, (_, index) => first + index * BUCKET_MS)
}

/** Counts what a bucket lacks, or the whole bucket when it is marked. Another process that did so meanwhile wins. */
async function countBucket(
  db: Db,
  siteNo: number,
  { bucket, countedTo, version, mark }: BucketState,
  end: number,
): Promise<void> {
  const isAnew = mark !== null || countedTo === null
  const hitsFrom = isAnew ? bucket.getTime() : countedTo
  const slice = hitSlice({ start: hitsFrom, end })
  const [counted, types] = await inSnapshot(db, tx =>
    Promise.all([countSliceHits(tx, siteNo, slice), countTypes(tx, siteNo, { start: hitsFrom, end })]),
  )
  await db.begin(async tx => {
    const present = version === null ? undefined : (await lockRecent(tx, { siteNo, bucket, version }))[0]
    if (version !== null && !present) return
    const before = isAnew ? undefined : present
    const [drawn] = await drawVersion(tx, {})
    const written = {
      ...drawn!,
      siteNo,
      bucket,
      countedTo: new Date(end),
      pageviews: (before?.pageviews ?? 0) + counted.pageviews,
      customEvents: (before?.customEvents ?? 0) + counted.customEvents,
      visitors: addVisitors(before?.visitors, counted.visitors),
      types: before?.types === null ? null : JSON.stringify(addCounts(before?.types, types)),
      mark,
    }
    if (present) await updateRecent(tx, written)
    else if ((await insertRecent(tx, written)).length === 0) return
    if (mark !== null) await removeMarks(tx, 'recent_hits', [{ siteNo, bucket, version: mark }])
  })
}

function addCounts(before: LogCounts = {}, more: LogCounts): LogCounts {
  const sum = { ...before }
  for (const [type, hits] of Object.entries(more)) sum[type] = (sum[type] ?? 0) + hits
  return sum
}
