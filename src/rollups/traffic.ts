import { type Db, statement } from '../infra/db.ts'
import type { SiteVisitors, SiteWindows, TrafficTotals, Window } from './protocol.ts'
import { readIntArray, VisitorSet } from './visitor-set.ts'

interface HitBucket {
  bucket: Date
  pageviews: number
  customEvents: number
  visitors: Buffer | null
}

interface SessionBucket {
  sessions: number
  bounces: number
  durationMs: number
}

const readHitBuckets = statement<HitBucket>('read-hit-buckets')
const readSessionBuckets = statement<SessionBucket>('read-session-buckets')

/** Totals of each window of a site. */
export async function countTraffic(
  db: Db,
  input: { siteNo: number; windows: Window[] },
): Promise<TrafficTotals[]> {
  return Promise.all(input.windows.map(window => countWindow(db, input.siteNo, window)))
}

async function countWindow(db: Db, siteNo: number, { start, end }: Window): Promise<TrafficTotals> {
  const totals: TrafficTotals = {
    pageviews: 0,
    customEvents: 0,
    visitors: 0,
    sessions: 0,
    bounces: 0,
    durationMs: 0,
  }
  if (start >= end) return totals
  const [hits, sessions] = await Promise.all([
    readHitBuckets(db, siteNo, new Date(start), new Date(end)),
    readSessionBuckets(db, siteNo, new Date(start), new Date(end)),
  ])
  const visitors = new VisitorSet()
  for (const row of hits) {
    totals.pageviews += row.pageviews
    totals.customEvents += row.customEvents
    visitors.add(readIntArray(row.visitors))
  }
  totals.visitors = visitors.size
  visitors.free()
  for (const row of sessions) {
    totals.sessions += row.sessions
    totals.bounces += row.bounces
    totals.durationMs += row.durationMs
  }
  return totals
}

/** Distinct visitors of each site: in every bucket, in all of them together, and in the window before. */
export function countSiteVisitors(db: Db, sites: SiteWindows[]): Promise<SiteVisitors[]> {
  return Promise.all(sites.map(site => countOneSite(db, site)))
}

async function countOneSite(db: Db, { siteNo, buckets, previous }: SiteWindows): Promise<SiteVisitors> {
  const start = buckets[0]!.start
  const end = buckets.at(-1)!.end
  const rows = await readHitBuckets(db, siteNo, new Date(Math.min(previous.start, start)), new Date(end))
  const before = new VisitorSet()
  const all = new VisitorSet()
  const each = buckets.map(() => new VisitorSet())
  for (const row of rows) {
    const at = row.bucket.getTime()
    const numbers = readIntArray(row.visitors)
    if (at >= previous.start && at < previous.end) before.add(numbers)
    if (at < start) continue
    all.add(numbers)
    each[buckets.findLastIndex(bucket => bucket.start <= at && at < bucket.end)]?.add(numbers)
  }
  const counted = {
    siteNo,
    visitors: all.size,
    visitorsBefore: before.size,
    sparkline: each.map(set => set.size),
  }
  for (const set of [before, all, ...each]) set.free()
  return counted
}
