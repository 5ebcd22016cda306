import type { Db, Queryable } from '../db/connect.ts'
import { inSnapshot } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import { countSliceHits, hitSlice } from './daily/row-slice.ts'
import { addVisitors, numbersIn } from './daily/visitor-set.ts'
import { removeMarks } from './dirty.ts'
import { arraysOf, BUCKET_MS, type Window } from './protocol.ts'
import { raiseWatermark, readWatermark } from './watermarks.ts'

// Hits of busy sites by quarter-hour. They lie between what hits_15m and rollups hold and the last seconds: a site with a thousand hits a
// second has a million rows there.

/** Most hits are stored within a second; a later one marks its bucket. */
const LAG_MS = 10_000
/** hits_15m holds hits before an hour ago; one bucket more, for rounds that come late. */
const KEPT_MS = HOUR_MS + BUCKET_MS
/** A site with as many hits in a minute is busy: for others, counting rows takes no longer than reading counts. */
const BUSY_HITS = 3_000

interface Counted {
  siteNo: number
  bucket: Date
  /** Unix milliseconds. */
  countedTo: number
  pageviews: number
  customEvents: number
}

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

/** Buckets of a site with what they hold, and their mark: both may be absent. */
const selectStates = query<
  { siteNo: number; buckets: Date[] },
  { bucket: Date; countedTo: number | null; version: number | null }
>(
  'select-recent-states',
  `
  select
    bucket, (extract(epoch from counted_to) * 1000)::bigint as "countedTo", version
  from unnest(:buckets::timestamptz[]) as asked (bucket)
  left join (select bucket, counted_to from recent_hits where site_no = :siteNo::int) as counted using (bucket)
  left join (
    select bucket, version from dirty_buckets where aggregate = 'recent_hits' and site_no = :siteNo::int
  ) as mark using (bucket)
  order by bucket desc`,
)

const findRecent = query<
  { siteNo: number; bucket: Date },
  Omit<Counted, 'siteNo' | 'bucket'> & { visitors: Buffer }
>(
  'find-recent-hits',
  `
  select
    (extract(epoch from counted_to) * 1000)::bigint as "countedTo", pageviews, custom_events as "customEvents", visitors
  from recent_hits
  where site_no = :siteNo::int and bucket = :bucket::timestamptz
  for update`,
)

const upsertRecent = query<
  { siteNo: number; bucket: Date; countedTo: Date; visitors: Buffer } & Pick<
    Counted,
    'pageviews' | 'customEvents'
  >
>(
  'upsert-recent-hits',
  `
  insert into recent_hits (site_no, bucket, counted_to, pageviews, custom_events, visitors)
  values (
    :siteNo::int, :bucket::timestamptz, :countedTo::timestamptz, :pageviews::bigint, :customEvents::bigint, :visitors::bytea
  )
  on conflict (site_no, bucket) do update
  set
    counted_to = excluded.counted_to,
    pageviews = excluded.pageviews,
    custom_events = excluded.custom_events,
    visitors = excluded.visitors`,
)

// Marks of buckets that are older than all counts mean nothing.
const deleteOld = query<{ before: Date }>(
  'delete-old-recent-hits',
  `
  with gone as (delete from recent_hits where bucket < :before::timestamptz)
  delete from dirty_buckets where aggregate = 'recent_hits' and bucket < :before::timestamptz`,
)

const selectRecent = query<
  { siteNos: readonly number[]; starts: readonly Date[]; ends: readonly Date[] },
  Counted & { visitors: string }
>(
  'select-recent-hits',
  `
  select
    span.site_no as "siteNo",
    bucket,
    (extract(epoch from counted_to) * 1000)::bigint as "countedTo",
    pageviews,
    custom_events as "customEvents",
    encode(visitors, 'base64') as visitors
  from unnest(:siteNos::int[], :starts::timestamptz[], :ends::timestamptz[]) as span (site_no, starts_at, ends_at)
  join recent_hits on recent_hits.site_no = span.site_no
    and bucket >= starts_at and bucket + interval '15 minutes' <= ends_at
  where not exists (
    select from dirty_buckets
    where aggregate = 'recent_hits' and dirty_buckets.site_no = recent_hits.site_no and dirty_buckets.bucket = recent_hits.bucket
  )
  order by 1, 2`,
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
  await raiseWatermark(db, { aggregate: 'recent_hits', watermark: new Date(to) })
  const [state] = await readWatermark(db, { aggregate: 'recent_hits' })
  // Hits have been waiting, or the clock was set back. Late hits leave no marks in buckets that are too old by the watermark.
  if (state?.watermark !== to) return
  const sites = await selectBusySites(db, {
    from: new Date(to - MINUTE_MS),
    to: new Date(to),
    hits: busyHits,
  })
  for (const { siteNo } of sites) {
    const buckets = bucketsIn({ start: to - KEPT_MS, end: to }).map(bucket => new Date(bucket))
    for (const bucketState of await selectStates(db, { siteNo, buckets })) {
      const end = Math.min(to, bucketState.bucket.getTime() + BUCKET_MS)
      if (bucketState.version !== null || (bucketState.countedTo ?? 0) < end)
        await countBucket(db, siteNo, bucketState, end)
    }
  }
  await deleteOld(db, { before: new Date(to - KEPT_MS - BUCKET_MS) })
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
  { bucket, countedTo, version }: { bucket: Date; countedTo: number | null; version: number | null },
  end: number,
): Promise<void> {
  const isAnew = version !== null || countedTo === null
  const hitsFrom = isAnew ? bucket.getTime() : countedTo
  const slice = hitSlice({ start: hitsFrom, end })
  const counted = await inSnapshot(db, tx => countSliceHits(tx, siteNo, slice))
  await db.begin(async tx => {
    const [present] = await findRecent(tx, { siteNo, bucket })
    if ((present?.countedTo ?? null) !== countedTo) return
    const before = isAnew ? undefined : present
    await upsertRecent(tx, {
      siteNo,
      bucket,
      countedTo: new Date(end),
      pageviews: (before?.pageviews ?? 0) + counted.pageviews,
      customEvents: (before?.customEvents ?? 0) + counted.customEvents,
      visitors: addVisitors(before?.visitors, counted.visitors),
    })
    if (version !== null) await removeMarks(tx, 'recent_hits', [{ siteNo, bucket, version }])
  })
}

/** Counts of a bucket up to a time. */
export type RecentHits = Counted & { visitors: Uint32Array }

/** Returns the counts of sites in the given spans, as far as they agree with the rows. */
export async function readRecentHits(
  tx: Queryable,
  spans: readonly (Window & { siteNo: number })[],
): Promise<RecentHits[]> {
  const rows = await selectRecent(tx, arraysOf(spans))
  return rows.map(row => ({ ...row, visitors: numbersIn(Buffer.from(row.visitors, 'base64')) }))
}
