import { type Db, inSnapshot, type Queryable, statement } from '../infra/db.ts'
import { coverAll, type DayFold, mergeWindows, readDayFolds, unfoldedHits } from './folds/day-folds.ts'
import { countPortionSessions } from './folds/portion.ts'
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
 * Totals of each window of a site: from the folds of its days and, where there are none yet, from buckets.
 * @param input.windows in order; they may leave gaps but not overlap
 */
export function countTraffic(
  db: Db,
  { siteNo, windows }: { siteNo: number; windows: Window[] },
): Promise<TrafficTotals[]> {
  const start = windows[0]?.start ?? 0
  const end = windows.at(-1)?.end ?? 0
  if (start >= end) return Promise.resolve(windows.map(() => ({ ...NO_TRAFFIC })))
  return inSnapshot(db, async tx => {
    const folds = await readDayFolds(tx, [siteNo], { start, end })
    const covers = coverAll(windows, folds.get(siteNo)!)
    const gaps = mergeWindows(covers.flatMap(cover => cover.gaps))
    const [hits, sessions, open] = await Promise.all([
      readAll(unfoldedHits(covers), ({ start, end }) =>
        readHitBuckets(tx, siteNo, new Date(start), new Date(end)),
      ),
      readAll(gaps, ({ start, end }) => readSessionBuckets(tx, siteNo, new Date(start), new Date(end))),
      Promise.all(
        covers.map(({ rests }) => Promise.all(rests.map(rest => countPortionSessions(tx, siteNo, rest)))),
      ),
    ])
    const totals = covers.map(({ folds }, index) => addUp([...folds, ...open[index]!]))
    const visitors = covers.map(({ folds }) => visitorsOf(folds))
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
  })
}

async function readAll<Row>(windows: Window[], read: (window: Window) => Promise<Row[]>): Promise<Row[]> {
  return (await Promise.all(windows.map(read))).flat()
}

/** Everything but visitors. */
function addUp(parts: Partial<TrafficTotals>[]): TrafficTotals {
  const total = { ...NO_TRAFFIC }
  for (const { pageviews = 0, customEvents = 0, sessions = 0, bounces = 0, durationMs = 0 } of parts) {
    total.pageviews += pageviews
    total.customEvents += customEvents
    total.sessions += sessions
    total.bounces += bounces
    total.durationMs += durationMs
  }
  return total
}

function visitorsOf(folds: DayFold[]): VisitorSet {
  const set = VisitorSet.from()
  for (const { visitors } of folds) set.addSerialized(Buffer.from(visitors, 'base64'))
  return set
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
  if (sites.length === 0) return Promise.resolve([])
  const all = sites.flatMap(({ buckets, previous }) => [previous, buckets[0]!, buckets.at(-1)!])
  const span = {
    start: Math.min(...all.map(({ start }) => start)),
    end: Math.max(...all.map(({ end }) => end)),
  }
  return inSnapshot(db, async tx => {
    const siteNos = sites.map(({ siteNo }) => siteNo)
    const folds = await readDayFolds(tx, siteNos, span)
    return Promise.all(sites.map(site => countOneSite(tx, site, folds.get(site.siteNo)!)))
  })
}

async function countOneSite(
  tx: Queryable,
  { siteNo, buckets, previous }: SiteWindows,
  folds: DayFold[],
): Promise<SiteVisitors> {
  const [ofPrevious, ...ofBuckets] = coverAll([previous, ...buckets], folds)
  const rows = await readAll(unfoldedHits([ofPrevious!, ...ofBuckets]), ({ start, end }) =>
    readHitBuckets(tx, siteNo, new Date(start), new Date(end)),
  )
  const before = visitorsOf(ofPrevious!.folds)
  const each = ofBuckets.map(cover => visitorsOf(cover.folds))
  for (const row of rows) {
    const at = row.bucket.getTime()
    const numbers = readIntArray(row.visitors)
    if (at >= previous.start && at < previous.end) before.add(numbers)
    each[windowOf(buckets, row.bucket)]?.add(numbers)
  }
  const all = VisitorSet.from()
  for (const set of each) all.addSet(set)
  const counted = {
    siteNo,
    visitors: all.size,
    visitorsBefore: before.size,
    sparkline: each.map(set => set.size),
  }
  for (const set of [before, all, ...each]) set.free()
  return counted
}
