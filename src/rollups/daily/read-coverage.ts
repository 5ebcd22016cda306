import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import { datesOf, type Window } from '../protocol.ts'
import { coverageOf, type DailyRollup, readDailyRollups } from './coverage.ts'
import { type RowSlice, wholeSlice } from './row-slice.ts'

/** When a larger part of a window is not rolled up, it is faster to count its hits elsewhere. */
export const MAX_GAPS_MS = 2.5 * DAY_MS

export const findNewestHit = query<{ siteNo: number; start: Date; end: Date }, { at: number | null }>(
  'find-newest-hit',
  `
  select (extract(epoch from max(at)) * 1000)::bigint as at
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

// No row for a site that does not exist.
const findFirstEvent = query<{ siteNo: number }, { at: number | null; detailsFrom: number | null }>(
  'find-first-event',
  `
  select
    (extract(epoch from first_event_at) * 1000)::bigint as at,
    (extract(epoch from details_from) * 1000)::bigint as "detailsFrom"
  from sites
  where site_no = :siteNo::int`,
)

interface CoverageOptions {
  /** Whether rollups may answer; without them, rows do. */
  readsRollups?: boolean
  /** Whether rows are read however little of the window is rolled up. */
  readsAllRows?: boolean
}

/** The rollups of a window, and the rows that they lack. */
export interface ReadCoverage {
  rollups: DailyRollup[]
  slices: RowSlice[]
}

/**
 * Returns the rollups of a window, and the rows that they lack. Call it in a snapshot.
 * @returns undefined when too little of the window is rolled up
 */
export async function readCoverage(
  tx: Queryable,
  siteNo: number,
  window: Window,
  { readsRollups = true, readsAllRows = false }: CoverageOptions,
): Promise<ReadCoverage | undefined> {
  const [stored, [first]] = await Promise.all([
    readDailyRollups(tx, [siteNo], window),
    findFirstEvent(tx, { siteNo }),
  ])
  const usable = readsRollups ? stored.get(siteNo)! : []
  const detailsFrom = first?.detailsFrom ?? Number.NEGATIVE_INFINITY
  const since = Math.max(first?.at ?? Number.POSITIVE_INFINITY, detailsFrom)
  const { rollups, tails, gaps } = coverageOf(window, usable)
  const lacking = partsSince(gaps, since)
  // The gap after the last rollup may lie mostly in the future, where there are no hits to count.
  const isMostlyMissing = rollups.length > 0 && lengthOf(lacking) > MAX_GAPS_MS
  const missing = isMostlyMissing ? await untilNewestHit(tx, siteNo, lacking) : lacking
  // Only rollups have the numbers of a window that begins before the details.
  if (!readsAllRows && lengthOf(missing) > MAX_GAPS_MS && window.start >= detailsFrom) return undefined
  return { rollups, slices: [...tails, ...missing.map(wholeSlice)] }
}

/** Returns the parts of windows from a moment on. */
const partsSince = (windows: readonly Window[], since: number): Window[] =>
  windows.flatMap(({ start, end }) => (end <= since ? [] : [{ start: Math.max(start, since), end }]))

const lengthOf = (windows: Window[]): number => windows.reduce((sum, { start, end }) => sum + end - start, 0)

/** Ends the last window after its newest hit; removes it when it has no hits. */
async function untilNewestHit(tx: Queryable, siteNo: number, windows: Window[]): Promise<Window[]> {
  const last = windows.at(-1)!
  const [newest] = await findNewestHit(tx, { siteNo, ...datesOf(last) })
  const rest = newest!.at === null ? [] : [{ ...last, end: newest!.at + 1 }]
  return [...windows.slice(0, -1), ...rest]
}
