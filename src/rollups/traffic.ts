import { type Db, statement } from '../infra/db.ts'
import {
  NO_TRAFFIC,
  type SiteVisitors,
  type SiteWindows,
  type TrafficTotals,
  type Window,
} from './protocol.ts'
import { readIntArray, VisitorSet } from './visitor-set.ts'

interface HitBucket {
  bucket: Date
  pageviews: number
  customEvents: number
  visitors: Buffer | null
}

interface SessionBucket {
  bucket: Date
  sessions: number
  bounces: number
  durationMs: number
}

const readHitBuckets = statement<HitBucket>('read-hit-buckets')
const readSessionBuckets = statement<SessionBucket>('read-session-buckets')

/**
 * Totals of each window of a site.
 * @param input.windows in order; they may leave gaps but not overlap
 */
export async function countTraffic(
  db: Db,
  { siteNo, windows }: { siteNo: number; windows: Window[] },
): Promise<TrafficTotals[]> {
  const totals = windows.map(() => ({ ...NO_TRAFFIC }))
  const start = windows[0]?.start ?? 0
  const end = windows.at(-1)?.end ?? 0
  if (start >= end) return totals
  const [hits, sessions] = await Promise.all([
    readHitBuckets(db, siteNo, new Date(start), new Date(end)),
    readSessionBuckets(db, siteNo, new Date(start), new Date(end)),
  ])
  const visitors = windows.map(() => new VisitorSet())
  for (const row of hits) {
    const index = windowOf(windows, row.bucket)
    const total = totals[index]
    if (!total) continue
    total.pageviews += row.pageviews
    total.customEvents += row.customEvents
    visitors[index]!.add(readIntArray(row.visitors))
  }
  for (const row of sessions) {
    const total = totals[windowOf(windows, row.bucket)]
    if (!total) continue
    total.sessions += row.sessions
    total.bounces += row.bounces
    total.durationMs += row.durationMs
  }
  visitors.forEach((set, index) => {
    totals[index]!.visitors = set.size
    set.free()
  })
  return totals
}

/** The window a bucket lies in, −1 for none. */
function windowOf(windows: Window[], bucket: Date): number {
  const at = bucket.getTime()
  let [low, high] = [0, windows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (windows[middle]!.end <= at) low = middle + 1
    else high = middle
  }
  return low < windows.length && windows[low]!.start <= at ? low : -1
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
    each[windowOf(buckets, row.bucket)]?.add(numbers)
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
