import type { Db, Queryable } from '../db/connect.ts'
import { inSnapshot } from '../db/connect.ts'
import { query } from '../db/query.ts'
import {
  type Coverage,
  coverageOf,
  type DailyRollup,
  dayRangesOf,
  hitsNotRolledUp,
  isFinal,
  mergeWindows,
  readDailyRollups,
} from './daily/coverage.ts'
import { type RangeTotals, readTotals, sumOf } from './daily/range-totals.ts'
import { cacheOf, type RollupCache } from './daily/rollup-cache.ts'
import {
  countSliceHits,
  countSliceSessions,
  hitSlice,
  type RowSlice,
  type SessionTotals,
  sliceSince,
} from './daily/row-slice.ts'
import { countTogether, readIntArray } from './daily/visitor-set.ts'
import {
  arraysOf,
  BUCKET_MS,
  datesOf,
  NO_TRAFFIC,
  type SiteVisitors,
  type SiteWindows,
  type Tasks,
  type TrafficPart,
  type TrafficTotals,
  type Window,
} from './protocol.ts'
import { type RecentHits, readRecentHits } from './recent/read-recent-hits.ts'
import { readCountedFrom, readSessionCounts } from './session-counts.ts'
import { readWatermark } from './watermarks.ts'

interface HitBucket {
  siteNo: number
  bucket: Date
  pageviews: number
  customEvents: number
}

type HitCounts = HitBucket & { visitors: Uint32Array }
type SessionBucket = SessionTotals & { bucket: Date }

const readHitBuckets = query<
  { siteNos: readonly number[]; starts: readonly Date[]; ends: readonly Date[]; refreshedTo: Date },
  HitBucket & { visitors: string | null }
>('read-hit-buckets')
const readSessionBuckets = query<
  { siteNo: number; start: Date; end: Date; refreshedTo: Date },
  SessionBucket
>('read-session-buckets')

/**
 * Returns the totals of each window of a site, from daily rollups and, where no rollup exists yet, from 15-minute buckets.
 * @param input.windows in order; gaps are allowed, overlaps are not
 */
export function countTraffic(
  db: Db,
  { siteNo, windows, parts }: Tasks['countTraffic']['input'],
): Promise<TrafficTotals[]> {
  const start = windows[0]?.start ?? 0
  const end = windows.at(-1)?.end ?? 0
  if (start >= end) return Promise.resolve(windows.map(() => ({ ...NO_TRAFFIC })))
  return inSnapshot(db, async tx => {
    const all = await readWindows(tx, cacheOf(db), siteNo, windows, parts)
    return all.map(addUp)
  })
}

/** What a window is added up from. Undefined: the part was not asked for. */
interface WindowParts {
  rolledUp: RangeTotals[]
  hits: HitCounts[] | undefined
  sessions: SessionTotals[] | undefined
}

/**
 * Reads what windows are added up from. Call it in a snapshot.
 * @param windows as for `countTraffic`, and together not empty
 */
async function readWindows(
  tx: Queryable,
  cache: RollupCache,
  siteNo: number,
  windows: Window[],
  parts: readonly TrafficPart[],
): Promise<WindowParts[]> {
  const span = { start: windows[0]!.start, end: windows.at(-1)!.end }
  const [rollups, countedFrom] = await Promise.all([
    readDailyRollups(tx, [siteNo], span),
    parts.includes('sessions') ? readCountedFrom(tx) : Number.POSITIVE_INFINITY,
  ])
  const coverages = windows.map(window => coverageOf(window, rollups.get(siteNo)!))
  const ranges = coverages.map(({ rollups }) => dayRangesOf(rollups))
  const isCounted = (rollup: DailyRollup) => !isFinal(rollup) && rollup.start >= countedFrom
  const [totals, hits, sessions] = await Promise.all([
    readTotals(tx, cache, ranges.flat()),
    parts.includes('hits') ? readHits(tx, spansOf(siteNo, coverages)) : undefined,
    parts.includes('sessions') ? readSessions(tx, siteNo, windows, coverages, countedFrom) : undefined,
  ])
  const hitsIn = hits && divide(windows, hits)
  return windows.map((_, index) => ({
    rolledUp: ranges[index]!.map(range => ({
      ...totals.get(range)!,
      ...(range.some(isCounted) && NO_SESSIONS),
    })),
    hits: hitsIn?.[index],
    sessions: sessions?.[index],
  }))
}

const addUp = ({ rolledUp, hits, sessions }: WindowParts): TrafficTotals => ({
  ...NO_TRAFFIC,
  ...(hits && {
    ...sumOf([...rolledUp, ...hits], ['pageviews', 'customEvents']),
    visitors: countVisitors(rolledUp, hits),
  }),
  ...(sessions && sumOf([...rolledUp, ...sessions], ['sessions', 'bounces', 'durationMs'])),
})

const countVisitors = (rolledUp: RangeTotals[], rows: HitCounts[]): number =>
  countTogether(
    rolledUp.map(({ visitors }) => visitors),
    rows.map(({ visitors }) => visitors),
  )

const spansOf = (siteNo: number, coverages: Coverage[]) =>
  hitsNotRolledUp(coverages).map(window => ({ siteNo, ...window }))

/** Returns the hit counts of sites in the given spans, one or two rows for each 15-minute bucket. */
async function readHits(tx: Queryable, spans: (Window & { siteNo: number })[]): Promise<HitCounts[]> {
  if (spans.length === 0) return []
  const [recent, [state]] = await Promise.all([
    readRecentHits(tx, spans),
    readWatermark(tx, { aggregate: 'hits' }),
  ])
  const refreshedTo = new Date(state?.refreshedTo ?? 0)
  const others = recent.length === 0 ? spans : spans.flatMap(span => withoutBuckets(span, recent))
  const [rows, rest] = await Promise.all([
    others.length === 0 ? [] : readHitBuckets(tx, { ...arraysOf(others), refreshedTo }),
    Promise.all(recent.map(counted => readRest(tx, counted))),
  ])
  const buckets = rows.map(({ visitors, ...row }) => ({
    ...row,
    visitors: readIntArray(visitors === null ? null : Buffer.from(visitors, 'base64')),
  }))
  return [...buckets, ...recent, ...rest.flat()]
}

/** Returns the parts of a span that lie between buckets with recent counts, which are in order. */
function withoutBuckets(
  { siteNo, start, end }: Window & { siteNo: number },
  recent: readonly RecentHits[],
): (Window & { siteNo: number })[] {
  const parts: (Window & { siteNo: number })[] = []
  let from = start
  for (const { siteNo: ofSite, bucket } of recent) {
    const at = bucket.getTime()
    if (ofSite !== siteNo || at < from || at >= end) continue
    if (from < at) parts.push({ siteNo, start: from, end: at })
    from = at + BUCKET_MS
  }
  if (from < end) parts.push({ siteNo, start: from, end })
  return parts
}

/** Counts the rows of a bucket that its recent counts do not hold. */
async function readRest(tx: Queryable, { siteNo, bucket, countedTo }: RecentHits): Promise<HitCounts[]> {
  const end = bucket.getTime() + BUCKET_MS
  if (countedTo >= end) return []
  const counts = await countSliceHits(tx, siteNo, hitSlice({ start: countedTo, end }))
  return [{ siteNo, bucket, ...counts }]
}

/** Sessions of an open day come from its counts, not from its rollup and the rows since. */
const NO_SESSIONS = { sessions: 0, bounces: 0, durationMs: 0 }

/** Returns the session counts of each window that no rollup holds. */
async function readSessions(
  tx: Queryable,
  siteNo: number,
  windows: Window[],
  coverages: Coverage[],
  countedFrom: number,
): Promise<SessionTotals[][]> {
  const open = coverages.map(({ rollups }) => rollups.filter(rollup => !isFinal(rollup)))
  const gaps = coverages.flatMap(coverage => coverage.gaps)
  const before = mergeWindows(gaps.map(({ start, end }) => ({ start, end: Math.min(end, countedFrom) })))
  const counted = mergeWindows([
    ...gaps.map(({ start, end }) => ({ start: Math.max(start, countedFrom), end })),
    ...open.flat().filter(({ start }) => start >= countedFrom),
  ])
  const [rows, counts, tails] = await Promise.all([
    readGaps(tx, siteNo, before),
    Promise.all(counted.map(window => readSessionCounts(tx, siteNo, window))),
    Promise.all(
      open.map(days =>
        Promise.all(tailsOf(days, countedFrom).map(tail => countSliceSessions(tx, siteNo, tail))),
      ),
    ),
  ])
  const inBuckets = [...rows, ...counts.flat()]
  return divide(windows, inBuckets).map((inWindow, index) => [...inWindow, ...tails[index]!])
}

/** Returns the sessions of gaps by bucket, from the aggregate and rows. */
async function readGaps(tx: Queryable, siteNo: number, gaps: readonly Window[]): Promise<SessionBucket[]> {
  if (gaps.length === 0) return []
  const [state] = await readWatermark(tx, { aggregate: 'sessions' })
  const refreshedTo = new Date(state?.refreshedTo ?? 0)
  const rows = await Promise.all(
    gaps.map(gap => readSessionBuckets(tx, { siteNo, ...datesOf(gap), refreshedTo })),
  )
  return rows.flat()
}

/** Rows of sessions that the rollups of open days do not hold yet, without the days that are counted. */
const tailsOf = (days: readonly DailyRollup[], countedFrom: number): RowSlice[] =>
  days.filter(({ start }) => start < countedFrom).map(day => sliceSince(day, day.rolledUpTo))

/** Assigns rows to windows. The windows must be in order and must not overlap. */
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

/** Counts the distinct visitors of each site: in each bucket, in all buckets together, and in the previous window. */
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
      const days = [...coverages, { rollups: coverages.slice(1).flatMap(({ rollups }) => rollups) }]
      return { siteNo, windows, coverages, ranges: days.map(({ rollups }) => dayRangesOf(rollups)) }
    })
    const spans = covered.flatMap(({ siteNo, coverages }) => spansOf(siteNo, coverages))
    const [totals, hits] = await Promise.all([
      readTotals(
        tx,
        cacheOf(db),
        covered.flatMap(({ ranges }) => ranges.flat()),
      ),
      readHits(tx, spans),
    ])
    const hitsOf = new Map(siteNos.map(siteNo => [siteNo, [] as HitCounts[]]))
    for (const row of hits) hitsOf.get(row.siteNo)!.push(row)
    return covered.map(({ siteNo, windows, ranges }) => {
      const [inPrevious, ...inBuckets] = divide(windows, hitsOf.get(siteNo)!)
      const rows = [inPrevious!, ...inBuckets, inBuckets.flat()]
      const counts = rows.map((inWindow, index) => {
        const rolledUp = ranges[index]!.map(range => totals.get(range)!)
        return countVisitors(rolledUp, inWindow)
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
