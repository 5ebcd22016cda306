import { type Db, inSnapshot, type Queryable, statement } from '../infra/db.ts'
import type { Cover } from './folds/cover.ts'
import { coverAll, type DayFold, mergeWindows, readDayFolds, unfoldedHits } from './folds/day-folds.ts'
import { cacheOf } from './folds/fold-cache.ts'
import { countPortionSessions } from './folds/portion.ts'
import { type RunTotals, readTotals, sum } from './folds/run-totals.ts'
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
}

type HitCounts = HitBucket & { visitors: Uint32Array }
type SessionCounts = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>

type SessionBucket = SessionCounts & { bucket: Date }

const readHitBuckets = statement<HitBucket & { visitors: string | null }>('read-hit-buckets')
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
    const runs = covers.map(cover => runsOf(cover.folds))
    const [totals, hits, sessions] = await Promise.all([
      readTotals(tx, cacheOf(db), runs.flat()),
      parts.includes('hits') ? readHits(tx, spansOf(siteNo, covers)) : undefined,
      parts.includes('sessions') ? readSessions(tx, siteNo, windows, covers) : undefined,
    ])
    const hitsIn = hits && divide(windows, hits)
    return windows.map((_, index) => {
      const folded = runs[index]!.map(run => totals.get(run)!)
      return {
        ...NO_TRAFFIC,
        ...(hitsIn && countHits(folded, hitsIn[index]!)),
        ...(sessions && countSessions([...folded, ...sessions[index]!])),
      }
    })
  })
}

function countHits(folded: RunTotals[], rows: HitCounts[]) {
  return {
    pageviews: sum([...folded, ...rows], ({ pageviews }) => pageviews),
    customEvents: sum([...folded, ...rows], ({ customEvents }) => customEvents),
    visitors: countVisitors(folded, rows),
  }
}

const countVisitors = (folded: RunTotals[], rows: HitCounts[]): number =>
  countTogether(
    folded.map(({ visitors }) => visitors),
    rows.map(({ visitors }) => visitors),
  )

const countSessions = (all: SessionCounts[]): SessionCounts => ({
  sessions: sum(all, ({ sessions }) => sessions),
  bounces: sum(all, ({ bounces }) => bounces),
  durationMs: sum(all, ({ durationMs }) => durationMs),
})

const spansOf = (siteNo: number, covers: Cover<DayFold>[]) =>
  unfoldedHits(covers).map(window => ({ siteNo, ...window }))

/** What sites count in spans of time, by quarters of an hour. */
async function readHits(tx: Queryable, spans: (Window & { siteNo: number })[]): Promise<HitCounts[]> {
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

/** The sessions of each window that no fold holds. */
async function readSessions(
  tx: Queryable,
  siteNo: number,
  windows: Window[],
  covers: Cover<DayFold>[],
): Promise<SessionCounts[][]> {
  const gaps = mergeWindows(covers.flatMap(cover => cover.gaps))
  const [rows, open] = await Promise.all([
    Promise.all(gaps.map(({ start, end }) => readSessionBuckets(tx, siteNo, new Date(start), new Date(end)))),
    Promise.all(
      covers.map(({ rests }) => Promise.all(rests.map(rest => countPortionSessions(tx, siteNo, rest)))),
    ),
  ])
  return divide(windows, rows.flat()).map((inWindow, index) => [...inWindow, ...open[index]!])
}

/** The rows of each window, which are in order and do not overlap. */
function divide<Row extends { bucket: Date }>(windows: Window[], rows: Row[]): Row[][] {
  const divided: Row[][] = windows.map(() => [])
  for (const row of rows) {
    const at = row.bucket.getTime()
    let [low, high] = [0, windows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (windows[middle]!.end <= at) low = middle + 1
      else high = middle
    }
    if (low < windows.length && windows[low]!.start <= at) divided[low]!.push(row)
  }
  return divided
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
      const windows = [site.previous, ...site.buckets]
      const covers = coverAll(windows, folds.get(site.siteNo)!)
      const [before, ...each] = covers.map(cover => runsOf(cover.folds))
      // The days of all buckets are one run, which is added up once.
      const all = runsOf(covers.slice(1).flatMap(cover => cover.folds))
      return { siteNo: site.siteNo, windows, spans: spansOf(site.siteNo, covers), before: before!, each, all }
    })
    const [totals, hits] = await Promise.all([
      readTotals(
        tx,
        cacheOf(db),
        covered.flatMap(({ before, each, all }) => [...before, ...each.flat(), ...all]),
      ),
      readHits(
        tx,
        covered.flatMap(({ spans }) => spans),
      ),
    ])
    const hitsOf = new Map(siteNos.map(siteNo => [siteNo, [] as HitCounts[]]))
    for (const row of hits) hitsOf.get(row.siteNo)!.push(row)
    const count = (runs: Run[], rows: HitCounts[]) =>
      countVisitors(
        runs.map(run => totals.get(run)!),
        rows,
      )
    return covered.map(({ siteNo, windows, before, each, all }) => {
      const [inPrevious, ...inBuckets] = divide(windows, hitsOf.get(siteNo)!)
      return {
        siteNo,
        visitors: count(all, inBuckets.flat()),
        visitorsBefore: count(before, inPrevious!),
        sparkline: each.map((runs, index) => count(runs, inBuckets[index]!)),
      }
    })
  })
}
