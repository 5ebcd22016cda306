import { type Db, inSnapshot, type Queryable, statement } from '../infra/db.ts'
import { coverAll, mergeWindows, readDayFolds, unfoldedHits } from './folds/day-folds.ts'
import { cacheOf } from './folds/fold-cache.ts'
import { countPortionSessions } from './folds/portion.ts'
import { type Run, runsOf } from './folds/runs.ts'
import { countTogether, readUnions } from './folds/union-visitors.ts'
import {
  NO_TRAFFIC,
  type SiteVisitors,
  type SiteWindows,
  type TrafficTotals,
  type Window,
} from './protocol.ts'
import { readIntArray } from './visitor-set.ts'

interface HitBucket {
  siteNo: number
  bucket: Date
  pageviews: number
  customEvents: number
  /** In base64. */
  visitors: string | null
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
    const runs = covers.map(cover => runsOf(cover.folds))
    const gaps = mergeWindows(covers.flatMap(cover => cover.gaps))
    const [unions, hits, sessions, open] = await Promise.all([
      readUnions(tx, cacheOf(db), runs.flat()),
      readHits(
        tx,
        unfoldedHits(covers).map(window => ({ siteNo, ...window })),
      ),
      readSessions(tx, siteNo, gaps),
      Promise.all(
        covers.map(({ rests }) => Promise.all(rests.map(rest => countPortionSessions(tx, siteNo, rest)))),
      ),
    ])
    const totals = covers.map(({ folds }, index) => addUp([...folds, ...open[index]!]))
    const visitors: Uint32Array[][] = windows.map(() => [])
    for (const row of hits) {
      const index = windowOf(windows, row.bucket)
      const total = totals[index]
      if (!total) continue
      total.pageviews += row.pageviews
      total.customEvents += row.customEvents
      visitors[index]!.push(row.visitors)
    }
    for (const row of sessions) {
      const total = totals[windowOf(windows, row.bucket)]
      if (!total) continue
      total.sessions += row.sessions
      total.bounces += row.bounces
      total.durationMs += row.durationMs
    }
    totals.forEach((total, index) => {
      total.visitors = countTogether(
        runs[index]!.map(run => unions.get(run)!),
        visitors[index],
      )
    })
    return totals
  })
}

/** What sites count in spans of time, by quarters of an hour. */
async function readHits(tx: Queryable, spans: (Window & { siteNo: number })[]) {
  if (spans.length === 0) return []
  const rows = await readHitBuckets(
    tx,
    spans.map(({ siteNo }) => siteNo),
    spans.map(({ start }) => start),
    spans.map(({ end }) => end),
  )
  return rows.map(({ visitors, ...row }) => ({
    ...row,
    visitors: readIntArray(visitors === null ? null : Buffer.from(visitors, 'base64')),
  }))
}

async function readSessions(tx: Queryable, siteNo: number, windows: Window[]): Promise<SessionBucket[]> {
  const read = await Promise.all(
    windows.map(({ start, end }) => readSessionBuckets(tx, siteNo, new Date(start), new Date(end))),
  )
  return read.flat()
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
    const covered = sites.map(site => {
      const covers = coverAll([site.previous, ...site.buckets], folds.get(site.siteNo)!)
      const [before, ...each] = covers.map(cover => runsOf(cover.folds))
      // The days of all buckets are one run, which is added up once.
      const all = runsOf(covers.slice(1).flatMap(cover => cover.folds))
      return { ...site, unfolded: unfoldedHits(covers), before: before!, each, all }
    })
    const [unions, hits] = await Promise.all([
      readUnions(
        tx,
        cacheOf(db),
        covered.flatMap(({ before, each, all }) => [...before, ...each.flat(), ...all]),
      ),
      readHits(
        tx,
        covered.flatMap(({ siteNo, unfolded }) => unfolded.map(window => ({ siteNo, ...window }))),
      ),
    ])
    const hitsOf = new Map(siteNos.map(siteNo => [siteNo, [] as typeof hits]))
    for (const row of hits) hitsOf.get(row.siteNo)!.push(row)
    return covered.map(({ siteNo, buckets, previous, before, each, all }) => {
      const inBuckets: Uint32Array[][] = buckets.map(() => [])
      const inPrevious: Uint32Array[] = []
      for (const { bucket, visitors } of hitsOf.get(siteNo)!) {
        const at = bucket.getTime()
        if (at >= previous.start && at < previous.end) inPrevious.push(visitors)
        inBuckets[windowOf(buckets, bucket)]?.push(visitors)
      }
      const unionsOf = (runs: Run[]) => runs.map(run => unions.get(run)!)
      return {
        siteNo,
        visitors: countTogether(unionsOf(all), inBuckets.flat()),
        visitorsBefore: countTogether(unionsOf(before), inPrevious),
        sparkline: each.map((runs, index) => countTogether(unionsOf(runs), inBuckets[index])),
      }
    })
  })
}
