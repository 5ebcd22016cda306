import { type Db, inSnapshot, type Queryable, statement } from '../infra/db.ts'
import type { Cover } from './folds/cover.ts'
import { coverAll, type DayFold, mergeWindows, readDayFolds, unfoldedHits } from './folds/day-folds.ts'
import { readUnions } from './folds/day-visitors.ts'
import { cacheOf, type FoldCache } from './folds/fold-cache.ts'
import { countPortionSessions } from './folds/portion.ts'
import { type Run, runsOf } from './folds/runs.ts'
import { countTogether } from './folds/union.ts'
import {
  NO_TRAFFIC,
  type SiteVisitors,
  type SiteWindows,
  type Tasks,
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

type HitCounts = Pick<TrafficTotals, 'pageviews' | 'customEvents' | 'visitors'>
type SessionCounts = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>

type SessionBucket = SessionCounts & { bucket: Date }

const readHitBuckets = statement<HitBucket>('read-hit-buckets')
const readSessionBuckets = statement<SessionBucket>('read-session-buckets')

/**
 * Totals of each window of a site: from the folds of its days and, where there are none yet, from buckets.
 * @param input.windows in order; they may leave gaps but not overlap
 */
export function countTraffic(
  db: Db,
  { siteNo, windows, parts }: Tasks['countTraffic']['input'],
): Promise<TrafficTotals[]> {
  const start = windows[0]?.start ?? 0
  const end = windows.at(-1)?.end ?? 0
  if (start >= end) return Promise.resolve(windows.map(() => ({ ...NO_TRAFFIC })))
  return inSnapshot(db, async tx => {
    const folds = await readDayFolds(tx, [siteNo], { start, end })
    const covers = coverAll(windows, folds.get(siteNo)!)
    const [hits, sessions] = await Promise.all([
      parts.includes('hits') ? countHits(tx, cacheOf(db), siteNo, windows, covers) : [],
      parts.includes('sessions') ? countSessions(tx, siteNo, windows, covers) : [],
    ])
    return windows.map((_, index) => ({ ...NO_TRAFFIC, ...hits[index], ...sessions[index] }))
  })
}

async function countHits(
  tx: Queryable,
  cache: FoldCache,
  siteNo: number,
  windows: Window[],
  covers: Cover<DayFold>[],
): Promise<HitCounts[]> {
  const runs = covers.map(({ folds }) => runsOf(folds))
  const unfolded = unfoldedHits(covers).map(window => ({ siteNo, ...window }))
  const [unions, rows] = await Promise.all([readUnions(tx, cache, runs.flat()), readHits(tx, unfolded)])
  const counts = covers.map(({ folds }) => ({
    pageviews: sum(folds, ({ pageviews }) => pageviews),
    customEvents: sum(folds, ({ customEvents }) => customEvents),
  }))
  const visitors: Uint32Array[][] = windows.map(() => [])
  for (const row of rows) {
    const index = windowOf(windows, row.bucket)
    const into = counts[index]
    if (!into) continue
    into.pageviews += row.pageviews
    into.customEvents += row.customEvents
    visitors[index]!.push(row.visitors)
  }
  return counts.map((count, index) => ({
    ...count,
    visitors: countTogether(
      runs[index]!.map(run => unions.get(run)!),
      visitors[index],
    ),
  }))
}

async function countSessions(
  tx: Queryable,
  siteNo: number,
  windows: Window[],
  covers: Cover<DayFold>[],
): Promise<SessionCounts[]> {
  const gaps = mergeWindows(covers.flatMap(cover => cover.gaps))
  const [rows, open] = await Promise.all([
    Promise.all(gaps.map(({ start, end }) => readSessionBuckets(tx, siteNo, new Date(start), new Date(end)))),
    Promise.all(
      covers.map(({ rests }) => Promise.all(rests.map(rest => countPortionSessions(tx, siteNo, rest)))),
    ),
  ])
  const counts = covers.map(({ folds }, index) => {
    const parts = [...folds, ...open[index]!]
    return {
      sessions: sum(parts, ({ sessions }) => sessions),
      bounces: sum(parts, ({ bounces }) => bounces),
      durationMs: sum(parts, ({ durationMs }) => durationMs),
    }
  })
  for (const row of rows.flat()) {
    const into = counts[windowOf(windows, row.bucket)]
    if (!into) continue
    into.sessions += row.sessions
    into.bounces += row.bounces
    into.durationMs += row.durationMs
  }
  return counts
}

const sum = <Part>(parts: readonly Part[], count: (part: Part) => number): number =>
  parts.reduce((total, part) => total + count(part), 0)

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
