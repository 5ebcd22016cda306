import type { Db, Queryable } from '../../platform/db/connect.ts'
import { inSnapshot } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { SessionTotals } from './daily/count-rows.ts'
import { type Coverage, coverageOf, isPresent, mergeWindows, readDailyRollups } from './daily/coverage.ts'
import { type RangeTotals, readTotals, sumOf } from './daily/range-totals.ts'
import { cacheOf } from './daily/rollup-cache.ts'
import { countTogether, readIntArray } from './daily/visitor-set.ts'
import {
  arraysOf,
  type CountedPart,
  datesOf,
  NO_TRAFFIC,
  type SiteVisitors,
  type SiteWindows,
  type Tasks,
  type TrafficTotals,
  type Window,
} from './protocol.ts'
import { readWatermark } from './watermarks.ts'

interface HitCounts {
  siteNo: number
  bucket: Date
  pageviews: number
  customEvents: number
  visitors: Uint32Array
}

type SessionCounts = SessionTotals & { bucket: Date }

const readHitBuckets = query<
  { siteNos: readonly number[]; starts: readonly Date[]; ends: readonly Date[]; refreshedTo: Date },
  Omit<HitCounts, 'visitors'> & { visitors: string | null }
>('read-hit-buckets')

const readKeptSessions = query<{ siteNo: number; start: Date; end: Date }, SessionCounts>(
  'read-kept-sessions',
  `select bucket, sessions, bounces, duration_ms::float8 as "durationMs"
  from kept_session_buckets
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz`,
)

const ADDITIVE = ['pageviews', 'customEvents', 'sessions', 'bounces', 'durationMs'] as const

/**
 * Returns the totals of each window of a site: from daily rollups, from what columns have counted of the rest, and of days without details from
 * kept buckets.
 * @param input.windows in order; gaps are allowed, overlaps are not
 */
export function countTraffic(
  db: Db,
  { siteNo, windows, covered, rest }: Tasks['countTraffic']['input'],
): Promise<Tasks['countTraffic']['output']> {
  return inSnapshot(db, async tx => {
    if (!(await isPresent(tx, siteNo, covered))) return 'changed'
    const { ranges } = covered
    const filled = ranges.filter(range => range.length > 0)
    const [totals, kept] = await Promise.all([
      readTotals(tx, cacheOf(db), filled),
      readKept(tx, siteNo, covered.kept),
    ])
    const partsIn = divide(windows, [...rest, ...kept], ({ start }) => start)
    return windows.map((_, index) => {
      const range = ranges[index]!
      return addUp(range.length > 0 ? [totals.get(range)!] : [], partsIn[index]!)
    })
  })
}

function addUp(rolledUp: RangeTotals[], parts: CountedPart[]): TrafficTotals {
  const counts = parts.map(part => part.counts)
  return {
    ...NO_TRAFFIC,
    ...sumOf([...rolledUp, ...counts], ADDITIVE),
    visitors: countTogether(
      rolledUp.map(({ visitors }) => visitors),
      parts.map(({ visitors }) => visitors),
    ),
  }
}

/** Returns what kept buckets have of windows before the details. */
async function readKept(tx: Queryable, siteNo: number, windows: readonly Window[]): Promise<CountedPart[]> {
  if (windows.length === 0) return []
  const [hits, sessions] = await Promise.all([
    readHits(
      tx,
      windows.map(window => ({ siteNo, ...window })),
    ),
    Promise.all(windows.map(window => readKeptSessions(tx, { siteNo, ...datesOf(window) }))),
  ])
  const none = { pageviews: 0, customEvents: 0, sessions: 0, bounces: 0, durationMs: 0 }
  const partOf = (
    bucket: Date,
    counts: Partial<typeof none>,
    visitors: Uint32Array = new Uint32Array(),
  ): CountedPart => ({
    start: bucket.getTime(),
    end: bucket.getTime(),
    counts: { ...none, ...counts },
    visitors,
  })
  return [
    ...hits.map(({ bucket, pageviews, customEvents, visitors }) =>
      partOf(bucket, { pageviews, customEvents }, visitors),
    ),
    ...sessions.flat().map(({ bucket, ...counts }) => partOf(bucket, counts)),
  ]
}

/** Returns the hit counts of sites in the given spans, one or two rows for each 15-minute bucket. */
async function readHits(tx: Queryable, spans: (Window & { siteNo: number })[]): Promise<HitCounts[]> {
  if (spans.length === 0) return []
  const [state] = await readWatermark(tx, { aggregate: 'hits' })
  const refreshedTo = new Date(state?.refreshedTo ?? 0)
  const rows = await readHitBuckets(tx, { ...arraysOf(spans), refreshedTo })
  return rows.map(({ visitors, ...row }) => ({
    ...row,
    visitors: readIntArray(visitors === null ? null : Buffer.from(visitors, 'base64')),
  }))
}

/** Assigns rows to windows. The windows must be in order and must not overlap. */
function divide<Row>(
  windows: readonly Window[],
  rows: readonly Row[],
  startOf: (row: Row) => number,
): Row[][] {
  const divided: Row[][] = windows.map(() => [])
  for (const row of rows) {
    const at = startOf(row)
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

const spansOf = (siteNo: number, coverages: Coverage[]) =>
  mergeWindows(coverages.flatMap(({ gaps }) => gaps)).map(window => ({ siteNo, ...window }))

/**
 * Counts the distinct visitors of each site: in each bucket, in all buckets together, and in the previous window. Of days without a rollup from
 * 15-minute buckets: a list of sites needs no columns.
 */
export function countSiteVisitors(db: Db, sites: SiteWindows[]): Promise<SiteVisitors[]> {
  if (sites.length === 0) return Promise.resolve([])
  const all = sites.flatMap(({ buckets, previous }) => [previous, buckets[0]!, buckets.at(-1)!])
  const span = {
    start: Math.min(...all.map(({ start }) => start)),
    end: Math.max(...all.map(({ end }) => end)),
  }
  return inSnapshot(db, async tx => {
    const siteNos = sites.map(({ siteNo }) => siteNo)
    const rollups = await readDailyRollups(tx, siteNos, span)
    const covered = sites.map(({ siteNo, previous, buckets }) => {
      const windows = [previous, ...buckets]
      const coverages = windows.map(window => coverageOf(window, rollups.get(siteNo)!))
      // The days of all buckets form one more day range, so they are summed once.
      const ranges = [...coverages, { rollups: coverages.slice(1).flatMap(({ rollups }) => rollups) }]
      return { siteNo, windows, coverages, ranges: ranges.map(({ rollups }) => rollups) }
    })
    const spans = covered.flatMap(({ siteNo, coverages }) => spansOf(siteNo, coverages))
    const [totals, hits] = await Promise.all([
      readTotals(
        tx,
        cacheOf(db),
        covered.flatMap(({ ranges }) => ranges.filter(range => range.length > 0)),
      ),
      readHits(tx, spans),
    ])
    const hitsOf = new Map(siteNos.map(siteNo => [siteNo, [] as HitCounts[]]))
    for (const row of hits) hitsOf.get(row.siteNo)!.push(row)
    return covered.map(({ siteNo, windows, ranges }) => {
      const [inPrevious, ...inBuckets] = divide(windows, hitsOf.get(siteNo)!, ({ bucket }) =>
        bucket.getTime(),
      )
      const rows = [inPrevious!, ...inBuckets, inBuckets.flat()]
      const counts = rows.map((inWindow, index) => {
        const total = totals.get(ranges[index]!)
        return countTogether(
          total ? [total.visitors] : [],
          inWindow.map(({ visitors }) => visitors),
        )
      })
      return {
        siteNo,
        visitors: counts.at(-1)!,
        visitorsBefore: counts[0]!,
        sparkline: counts.slice(1, -1),
      }
    })
  })
}
