import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { COPIED_COLUMNS } from '../../dimensions/dimensions.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type ZoneOffsets, zoneOffsets } from '../../time/zone-offsets.ts'
import type { TrafficTotals, Window } from '../protocol.ts'
import { type Counts, noCounts } from './codec.ts'
import { distinctOf, readIntArray } from './visitor-set.ts'

/** After this time without a hit, a session gets no further hit except a late one (docs/metrics.md "Session"). */
export const SILENCE_MS = 30 * MINUTE_MS
/** Upper bound of all times. */
export const FOREVER = Date.UTC(9999, 11, 31)

/**
 * Row slice: the rows of a site that a rollup, a delta or a live tail covers, selected in two ways. By time: hits in
 * [hitsFrom, hitsTo). By session start: sessions that began in [start, end) and whose last hit lies in
 * [closedFrom, closedTo), with all their hits. Unix milliseconds. Counts of disjoint row slices add up.
 */
export interface RowSlice extends Window {
  hitsFrom: number
  hitsTo: number
  /** Null for any time. */
  closedFrom: number | null
  closedTo: number
}

/** Returns the row slice with all rows of a window. */
export const wholeSlice = ({ start, end }: Window): RowSlice => ({
  start,
  end,
  hitsFrom: start,
  hitsTo: end,
  closedFrom: null,
  closedTo: FOREVER,
})

/** Returns the row slice with the hits of a window, and no sessions. */
export const hitSlice = ({ start, end }: Window): RowSlice => ({
  start,
  end,
  hitsFrom: start,
  hitsTo: end,
  closedFrom: start,
  closedTo: start,
})

/** Returns the row slice that the rollup of a day holds when it was built up to `rolledUpTo`. */
export const rolledUpSlice = ({ start, end }: Window, rolledUpTo: number): RowSlice => ({
  start,
  end,
  hitsFrom: start,
  hitsTo: Math.max(start, Math.min(end, rolledUpTo)),
  closedFrom: null,
  closedTo: rolledUpTo - SILENCE_MS,
})

/** Returns the rows up to `to` that are missing in rollups built up to `from`; without `to`, all missing rows. */
export const sliceSince = ({ start, end }: Window, from: number, to = FOREVER): RowSlice => ({
  start,
  end,
  hitsFrom: Math.max(start, Math.min(end, from)),
  hitsTo: Math.max(start, Math.min(end, to)),
  closedFrom: from - SILENCE_MS,
  closedTo: to === FOREVER ? FOREVER : to - SILENCE_MS,
})

/** Returns whether a slice has all rows that are missing in rollups, up to the newest. */
export const isSinceRollup = ({ closedFrom, closedTo }: RowSlice): boolean =>
  closedFrom !== null && closedTo === FOREVER

/** Returns the time from which a rollup may hold a session, so that a change of the session counts as late. */
export const closesAt = (lastAt: number): number => lastAt + SILENCE_MS

export type SessionTotals = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>
type HitTotals = Pick<TrafficTotals, 'pageviews' | 'customEvents'>

export interface ValueCounts {
  counts: Counts
  /** Distinct visitor_no, in any order. Do not change the list: a live tail keeps it. */
  visitors: Uint32Array
  /** Time of the first hit of an error, Unix milliseconds. */
  firstAt?: number
}
/** Counts of each value of a dimension. */
export type CountsByValue = Map<string, ValueCounts>

/** What rows are counted by: the duration of each session is known there. */
type RowCounts = Omit<Counts, 'visitors' | 'untimedSessions'>

interface ValueRow extends RowCounts {
  dimension: string
  value: string
  visitors: Buffer | null
  firstAt: number | null
}

/** The parameters of slice_sessions.sql. */
interface SessionBounds {
  siteNo: number
  start: Date
  end: Date
  closedFrom: Date | null
  closedTo: Date
}

const countHits = query<{ siteNo: number; hitsFrom: Date; hitsTo: Date }, HitTotals & { visitors: Buffer }>(
  'count-slice-hits',
)

const countSessions = query<SessionBounds, SessionTotals>(
  'count-slice-sessions',
  `
  select
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0)::float8 as "durationMs"
  from ({slice_sessions}) as chosen`,
)

const countValues = query<
  SessionBounds & ZoneOffsets & { hitsFrom: Date; hitsTo: Date; dimensions: readonly string[] },
  ValueRow
>('count-slice-values')

const countSessionValues = query<
  SessionBounds & { hitsFrom: Date; hitsTo: Date; dimension: string },
  Pick<ValueRow, 'value' | 'hits' | 'pageviews' | 'customEvents' | 'visitors' | keyof SessionTotals>
>('count-slice-session-values')

const COPIED = new Set<string>(COPIED_COLUMNS)

const sessionBoundsOf = (siteNo: number, { start, end, closedFrom, closedTo }: RowSlice): SessionBounds => ({
  siteNo,
  start: new Date(start),
  end: new Date(end),
  closedFrom: closedFrom === null ? null : new Date(closedFrom),
  closedTo: new Date(closedTo),
})

const hitBoundsOf = ({ hitsFrom, hitsTo }: RowSlice) => ({
  hitsFrom: new Date(hitsFrom),
  hitsTo: new Date(hitsTo),
})

export async function countSliceHits(
  db: Queryable,
  siteNo: number,
  slice: RowSlice,
): Promise<HitTotals & { visitors: Uint32Array }> {
  const [row] = await countHits(db, { siteNo, ...hitBoundsOf(slice) })
  return { ...row!, visitors: readIntArray(row!.visitors) }
}

export async function countSliceSessions(
  db: Queryable,
  siteNo: number,
  slice: RowSlice,
): Promise<SessionTotals> {
  const [row] = await countSessions(db, sessionBoundsOf(siteNo, slice))
  return row!
}

/**
 * Returns the counts by value of each dimension that has values.
 * @param dimensions of hits, of sessions, `hour_of_week`, `error`, `property/{type}/{name}`, or `property` for all event types and
 * names
 * @param options.zone of the site; only `hour_of_week` needs it
 */
export async function countSliceValues(
  db: Queryable,
  siteNo: number,
  slice: RowSlice,
  dimensions: readonly string[],
  { zone = 'UTC' }: { zone?: string | undefined } = {},
): Promise<Map<string, CountsByValue>> {
  const bounds = { ...sessionBoundsOf(siteNo, slice), ...hitBoundsOf(slice) }
  const [dimension] = dimensions
  const rows =
    dimensions.length === 1 && COPIED.has(dimension!)
      ? await countCopied(db, bounds, dimension!)
      : await countValues(db, {
          ...bounds,
          ...zoneOffsets(zone, slice.start, slice.end),
          dimensions,
        })
  const byDimension = new Map<string, CountsByValue>()
  for (const { dimension, value, visitors, firstAt, ...counts } of rows) {
    let byValue = byDimension.get(dimension)
    if (!byValue) {
      byValue = new Map()
      byDimension.set(dimension, byValue)
    }
    let into = byValue.get(value)
    if (!into) {
      into = { counts: noCounts(), visitors: new Uint32Array() }
      byValue.set(value, into)
    }
    addCounts(into.counts, counts)
    if (visitors) into.visitors = distinctOf(readIntArray(visitors))
    if (firstAt !== null) into.firstAt = Math.min(into.firstAt ?? firstAt, firstAt)
  }
  return byDimension
}

/** What dimensions of sessions do not have. */
const { visitors: _visitors, untimedSessions: _untimed, ...NO_ROW_COUNTS } = noCounts()

async function countCopied(
  db: Queryable,
  bounds: SessionBounds & { hitsFrom: Date; hitsTo: Date },
  dimension: string,
): Promise<ValueRow[]> {
  const rows = await countSessionValues(db, { ...bounds, dimension })
  return rows.map(row => ({ ...NO_ROW_COUNTS, ...row, dimension, firstAt: null }))
}

/** Adds all counts except visitors; keeps the latest `lastAt`. */
export function addCounts(into: Counts, { lastAt, ...counts }: RowCounts): void {
  into.hits += counts.hits
  into.pageviews += counts.pageviews
  into.customEvents += counts.customEvents
  into.sessions += counts.sessions
  into.bounces += counts.bounces
  into.engagedMs += counts.engagedMs
  into.engagedSessions += counts.engagedSessions
  into.durationMs += counts.durationMs
  into.scrollSum += counts.scrollSum
  into.scrolledSessions += counts.scrolledSessions
  into.lastAt = Math.max(into.lastAt, lastAt)
}
