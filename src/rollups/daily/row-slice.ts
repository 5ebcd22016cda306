import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { distinctOf, readIntArray } from '../visitor-set.ts'
import { type Counts, noCounts } from './codec.ts'

const MINUTE = 60_000
/** After this time without a hit, a session gets no further hit except a late one (contract §6). */
export const SILENCE_MS = 30 * MINUTE
/** Upper bound of all times. */
const FOREVER = Date.UTC(9999, 11, 31)

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

/** Returns the time from which a rollup may hold a session, so that a change of the session counts as late. */
export const closesAt = (lastAt: number): number => lastAt + SILENCE_MS

export interface SessionTotals {
  sessions: number
  bounces: number
  durationMs: number
}

export interface HitTotals {
  pageviews: number
  customEvents: number
  visitors: Uint32Array
}

export interface Tallied {
  counts: Counts
  /** Distinct visitor_no, ascending. */
  visitors: Uint32Array
}
/** Counts by value, grouped by dimension. */
export type Tally = Map<string, Map<string, Tallied>>

interface TalliedRow extends Omit<Counts, 'visitors'> {
  dimension: string
  value: string
  visitors: Buffer | null
}

const countHits = statement<Omit<HitTotals, 'visitors'> & { visitors: Buffer }>('count-slice-hits')
const countSessions = statement<SessionTotals>('count-slice-sessions')
const countValues = statement<TalliedRow>('count-slice-values')

export async function countSliceHits(db: Queryable, siteNo: number, slice: RowSlice): Promise<HitTotals> {
  const [row] = await countHits(db, siteNo, new Date(slice.hitsFrom), new Date(slice.hitsTo))
  return { ...row!, visitors: readIntArray(row!.visitors) }
}

export async function countSliceSessions(
  db: Queryable,
  siteNo: number,
  slice: RowSlice,
): Promise<SessionTotals> {
  const { start, end, closedFrom, closedTo } = slice
  const [row] = await countSessions(
    db,
    siteNo,
    new Date(start),
    new Date(end),
    moment(closedFrom),
    new Date(closedTo),
  )
  return row!
}

/** @param dimensions of hits, of sessions, `error`, `property/{type}/{name}`, or `property` for all event types and names */
export async function countSliceValues(
  db: Queryable,
  siteNo: number,
  slice: RowSlice,
  dimensions: readonly string[],
): Promise<Tally> {
  const { start, end, hitsFrom, hitsTo, closedFrom, closedTo } = slice
  const rows = await countValues(
    db,
    siteNo,
    new Date(start),
    new Date(end),
    new Date(hitsFrom),
    new Date(hitsTo),
    moment(closedFrom),
    new Date(closedTo),
    dimensions,
  )
  const tally: Tally = new Map()
  for (const { dimension, value, visitors, ...counts } of rows) {
    const into = talliedIn(tally, dimension, value)
    addCounts(into.counts, counts)
    if (visitors) into.visitors = distinctOf(readIntArray(visitors))
  }
  return tally
}

function talliedIn(tally: Tally, dimension: string, value: string): Tallied {
  let values = tally.get(dimension)
  if (!values) {
    values = new Map()
    tally.set(dimension, values)
  }
  let tallied = values.get(value)
  if (!tallied) {
    tallied = { counts: noCounts(), visitors: new Uint32Array() }
    values.set(value, tallied)
  }
  return tallied
}

/** Adds all counts except visitors; keeps the latest `lastAt`. */
export function addCounts(into: Counts, { lastAt, ...counts }: Omit<Counts, 'visitors'>): void {
  into.hits += counts.hits
  into.pageviews += counts.pageviews
  into.sessions += counts.sessions
  into.bounces += counts.bounces
  into.engagedMs += counts.engagedMs
  into.engagedSessions += counts.engagedSessions
  into.lastAt = Math.max(into.lastAt, lastAt)
}

const moment = (at: number | null) => (at === null ? null : new Date(at))
