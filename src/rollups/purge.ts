import { type Db, inTransaction, type Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { DAY_MS, MINUTE_MS } from '../lib/time.ts'
import { purgeReplays } from '../replays/delete-replays.ts'
import { deleteReports } from '../web-vitals/delete-reports.ts'
import { AGGREGATE_NAMES } from './aggregates.ts'
import { allowColumnstoreWrites } from './columnstore.ts'
import { type Aggregate, markBuckets } from './dirty.ts'

/** Lower bound of all hit times. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')
/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000
/** Maximum rows of one transaction: a longer one would block others by its locks, or the embedded database's only session. */
const MAX_ROWS = 20_000
/** The purge pauses while more buckets than this wait for a refresh. */
export const MAX_MARKS = 5_000
/** After this time, no transaction that began before the deletion can still store rows. */
const SETTLED_MS = 10 * MINUTE_MS

/** All tables with rows of a site, except `sites`, kept buckets and the hypertables. */
const TABLES = [
  'processor_connections',
  'import_secrets',
  'shares',
  'segments',
  'annotations',
  'goals',
  'funnels',
  'identities',
  'visitors',
  'payments',
  'customers',
  'mrr_changes',
  'session_replays',
  'money_sessions',
  'awaiting_visitors',
  'payment_aliases',
  'subscriptions',
  'processor_facts',
  'price_dependents',
  'recompute_queue',
  'lifecycle_events',
  'webhook_events',
  'error_groups',
  'daily_values',
  'rollup_spans',
  'daily_rollups',
  'daily_value_rollups',
  'value_dictionary',
  'dead_letters',
  'erasures',
  'erasure_items',
]

const selectSites = query<void, { siteNo: number; deletedAt: Date }>(
  'select-sites-to-purge',
  `
  select site_no as "siteNo", deleted_at as "deletedAt"
  from sites
  where deleted_at is not null and purged_at is null
  order by deleted_at, site_no`,
)

/**
 * Deletes at most `limit` rows of a site from each table, and returns how many it has deleted.
 * @public the test of all statements reads it
 */
export const PURGE_ROWS = deletionFrom([...TABLES, "dirty_buckets where aggregate = 'daily_rollups'"])
const purgeRows = query<{ siteNo: number; limit: number }, { count: number }>('purge-rows', PURGE_ROWS)

function deletionFrom(parts: string[]): string {
  const deletions = parts.map((part, index) => {
    const [table, where = 'where true'] = part.split(/ (?=where)/)
    const rows = `select ctid from ${table} ${where} and site_no = :siteNo::int limit :limit::int`
    return `gone_${index} as (delete from ${table} where ctid = any(array(${rows})) returning 1)`
  })
  const gone = parts.map((_, index) => `select from gone_${index}`).join(' union all ')
  return `with ${deletions.join(', ')} select count(*)::int as count from (${gone}) as gone`
}

/** Earliest time from which on the site has rows in a hypertable; null where it has none. */
const findStart = query<{ siteNo: number; from: Date }, { at: Date | null }>(
  'find-purge-start',
  `
  select least(
    (select min(at) from events where site_no = :siteNo::int and at >= :from::timestamptz),
    (select min(started_at) from sessions where site_no = :siteNo::int and started_at >= :from::timestamptz),
    (select min(at) from web_vitals where site_no = :siteNo::int and at >= :from::timestamptz),
    (select min(at) from revenue where site_no = :siteNo::int and at >= :from::timestamptz),
    (select min(at) from mrr_movements where site_no = :siteNo::int and at >= :from::timestamptz)
  ) as at`,
)

export const countDirty = query<{ siteNo: number }, { all: number; ofSite: number }>(
  'count-dirty',
  `
  select count(*)::int as "all", (count(*) filter (where site_no = :siteNo::int))::int as "ofSite"
  from dirty_buckets`,
)

/** Keeps the row of the site, because its number must not be used again, and removes its domain. */
const finishPurge = query<{ siteNo: number; now: Date }>(
  'finish-purge',
  `
  update sites
  set purged_at = :now, domain = ''
  where site_no = :siteNo and deleted_at is not null`,
)

/** Deletes the rows of deleted teams whose sites are purged; the rows of these sites go with them. */
const deletePurgedTeams = query(
  'delete-purged-teams',
  `
  delete from teams
  where
    deleted_at is not null
    and not exists (select from sites where sites.team_id = teams.id and sites.purged_at is null)`,
)

// The aggregates may still hold the rows of kept buckets, whose hits and sessions are gone.
const deleteKeptFrom = (table: string, name: string) =>
  query<{ siteNo: number; before: Date; limit: number }, { bucket: Date }>(
    name,
    `
  delete from ${table}
  where ctid = any(array(
    select ctid from ${table}
    where site_no = :siteNo::int and bucket < :before::timestamptz
    order by bucket
    limit :limit::int
  ))
  returning bucket`,
  )

const deleteKeptHits = deleteKeptFrom('kept_hit_buckets', 'delete-kept-hit-buckets')
const deleteKeptSessions = deleteKeptFrom('kept_session_buckets', 'delete-kept-session-buckets')

/** Kept buckets of one transaction. */
const KEPT_BUCKETS = 2_000
/** Upper bound of all times. */
const LATEST = new Date('9999-01-01T00:00:00Z')

/**
 * Deletes kept buckets of a site, and marks them dirty, so that the refresh removes the rows of the aggregates.
 * @returns true when there may be more
 */
export async function deleteKeptBuckets(db: Queryable, siteNo: number, before = LATEST): Promise<boolean> {
  let isMore = false
  for (const [aggregate, deleteKept] of [
    ['hits', deleteKeptHits],
    ['sessions', deleteKeptSessions],
  ] as const) {
    const deleted = await inTransaction(db, async transaction => {
      const gone = await deleteKept(transaction, { siteNo, before, limit: KEPT_BUCKETS })
      await markBuckets(
        transaction,
        aggregate,
        gone.map(({ bucket }) => ({ siteNo, at: bucket.getTime() })),
      )
      return gone.length
    })
    isMore ||= deleted === KEPT_BUCKETS
  }
  return isMore
}

interface SiteSpan {
  siteNo: number
  start: Date
  end: Date
}

interface BucketCount {
  aggregate: Aggregate
  bucket: Date
  count: number
}

/** Rows of a span by bucket of 15 minutes, in the hypertables that have continuous aggregates. */
export const countRowsByBucket = query<SiteSpan, BucketCount>(
  'count-rows-by-bucket',
  `
  select aggregate, time_bucket(interval '15 minutes', at) as bucket, count(*)::int as count
  from (
    select 'hits' as aggregate, at from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    union all
    select 'sessions', started_at from sessions
    where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
    union all
    select 'revenue', at from revenue
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
  ) as counted
  group by 1, 2
  order by 1, 2`,
)

// Delete through the hypertable, not from a chunk: only this finds compressed rows in every version of TimescaleDB. With a plan
// for these parameters (see allow-purge) it deletes whole segments of the columnstore without decompressing them.
export const purgeEvents = query<SiteSpan>(
  'purge-events',
  `
  delete from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)
export const purgeSessions = query<SiteSpan>(
  'purge-sessions',
  `
  delete from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz`,
)
const purgeRevenue = query<SiteSpan>(
  'purge-revenue',
  `
  delete from revenue
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

const purgeMovements = query<SiteSpan>(
  'purge-movements',
  `
  delete from mrr_movements
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

/** Hypertables that have continuous aggregates. They are large, and deletions must mark their buckets dirty. */
const AGGREGATED = { hits: purgeEvents, sessions: purgeSessions, revenue: purgeRevenue }

/**
 * Deletes rows of deleted sites for up to two seconds. The remaining rows are the only state: it is safe to stop at any
 * point, and the next run continues. A site is done when a pass finds no rows, no transaction can store new rows
 * (`SETTLED_MS`), and the site has no dirty buckets. A deleted team goes when all of its sites are done.
 */
export async function purgeDeletedSites(db: Db, now: Date): Promise<void> {
  const endsAt = performance.now() + BUDGET_MS
  const hasTime = () => performance.now() < endsAt
  for (const { siteNo, deletedAt } of await selectSites(db)) {
    if (!hasTime()) return
    const isEmpty = await purgeSite(db, siteNo, hasTime)
    if (!isEmpty || now.getTime() - deletedAt.getTime() < SETTLED_MS) continue
    const [marks] = await countDirty(db, { siteNo })
    if (marks!.ofSite === 0) await finishPurge(db, { siteNo, now })
  }
  await deletePurgedTeams(db)
}

/** @returns true when there was nothing to delete */
async function purgeSite(db: Db, siteNo: number, hasTime: () => boolean): Promise<boolean> {
  let isEmpty = true
  for (;;) {
    const [gone] = await purgeRows(db, { siteNo, limit: MAX_ROWS })
    if (gone!.count === 0) break
    isEmpty = false
    if (!hasTime()) return false
  }
  while (await purgeReplays(db, siteNo)) {
    isEmpty = false
    if (!hasTime()) return false
  }
  while (await deleteKeptBuckets(db, siteNo)) {
    isEmpty = false
    const [marks] = await countDirty(db, { siteNo })
    if (marks!.all > MAX_MARKS || !hasTime()) return false
  }
  for (let from = EARLIEST; ; ) {
    const day = await firstDay(db, siteNo, from)
    if (day === undefined) return isEmpty
    isEmpty = false
    const [marks] = await countDirty(db, { siteNo })
    if (marks!.all > MAX_MARKS || !(await purgeDay(db, siteNo, day, hasTime))) return false
    from = new Date(day + DAY_MS)
  }
}

/** Returns the start of the first UTC day, from `from` on, on which the site has rows in a hypertable. */
async function firstDay(db: Db, siteNo: number, from: Date): Promise<number | undefined> {
  const [first] = await findStart(db, { siteNo, from })
  return first!.at ? Math.floor(first!.at.getTime() / DAY_MS) * DAY_MS : undefined
}

/** @returns false when the time limit stopped it before the end of the day */
async function purgeDay(db: Db, siteNo: number, day: number, hasTime: () => boolean): Promise<boolean> {
  const end = new Date(day + DAY_MS)
  const start = new Date(day)
  await purgeMovements(db, { siteNo, start, end })
  if (!(await deleteReports(db, { siteNo, start, end }, hasTime))) return false
  const counts = await countRowsByBucket(db, { siteNo, start, end })
  for (const aggregate of AGGREGATE_NAMES) {
    const slices = cut(counts.filter(count => count.aggregate === aggregate))
    for (const [index, buckets] of slices.entries()) {
      if (!hasTime()) return false
      const next = slices[index + 1]?.[0] ?? end
      await db.begin(async transaction => {
        await allowColumnstoreWrites(transaction)
        await AGGREGATED[aggregate](transaction, { siteNo, start: buckets[0]!, end: next })
        // Mark the buckets dirty, like every write below the watermark: the refresh then removes the stale aggregate rows.
        const touched = buckets.map(bucket => ({ siteNo, at: bucket.getTime() }))
        await markBuckets(transaction, aggregate, touched)
      })
    }
  }
  return true
}

/** Splits consecutive buckets into transactions of at most `MAX_ROWS` rows. A bucket with more rows is a slice by itself. */
export function cut(counts: BucketCount[]): Date[][] {
  const slices: Date[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const { bucket, count } of counts) {
    rows += count
    if (rows <= MAX_ROWS) {
      slices.at(-1)!.push(bucket)
    } else {
      slices.push([bucket])
      rows = count
    }
  }
  return slices
}
