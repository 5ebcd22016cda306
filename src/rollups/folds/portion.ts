import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { distinctOf, readIntArray } from '../visitor-set.ts'
import { type Counts, noCounts } from './codec.ts'

const MINUTE = 60_000
/** A session that was silent for longer gets no further hit but a late one (contract §6). */
export const SILENCE_MS = 30 * MINUTE
/** The latest time that can be asked for. */
const FOREVER = Date.UTC(9999, 11, 31)

/**
 * A part of a site's rows, in two ways of counting. By time: hits of [hitsFrom, hitsTo). By start: sessions that began in
 * [start, end) and whose last hit lies in [closedFrom, closedTo), with everything they saw. Unix milliseconds.
 * What disjoint portions count adds up.
 */
export interface Portion extends Window {
  hitsFrom: number
  hitsTo: number
  /** Null for any time. */
  closedFrom: number | null
  closedTo: number
}

/** Everything of a window. */
export const wholePortion = ({ start, end }: Window): Portion => ({
  start,
  end,
  hitsFrom: start,
  hitsTo: end,
  closedFrom: null,
  closedTo: FOREVER,
})

/** What a day's fold holds that is made up to a moment. */
export const foldedPortion = ({ start, end }: Window, foldedTo: number): Portion => ({
  start,
  end,
  hitsFrom: start,
  hitsTo: Math.max(start, Math.min(end, foldedTo)),
  closedFrom: null,
  closedTo: foldedTo - SILENCE_MS,
})

/** What is missing in the folds of days that were made up to `from`; up to `to`, or all of it. */
export const portionSince = ({ start, end }: Window, from: number, to = FOREVER): Portion => ({
  start,
  end,
  hitsFrom: Math.max(start, Math.min(end, from)),
  hitsTo: Math.max(start, Math.min(end, to)),
  closedFrom: from - SILENCE_MS,
  closedTo: to === FOREVER ? FOREVER : to - SILENCE_MS,
})

/** When a session's changes count as late: from then on a fold may hold it. */
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
  /** Distinct. */
  visitors: Uint32Array
}
/** By dimension, then by value. */
export type Tally = Map<string, Map<string, Tallied>>

interface TalliedRow extends Omit<Counts, 'visitors'> {
  dimension: string
  value: string
  visitors: Buffer | null
}

const countHits = statement<Omit<HitTotals, 'visitors'> & { visitors: Buffer }>('count-portion-hits')
const countSessions = statement<SessionTotals>('count-portion-sessions')
const countValues = statement<TalliedRow>('count-portion-values')

export async function countPortionHits(db: Queryable, siteNo: number, portion: Portion): Promise<HitTotals> {
  const [row] = await countHits(db, siteNo, new Date(portion.hitsFrom), new Date(portion.hitsTo))
  return { ...row!, visitors: readIntArray(row!.visitors) }
}

export async function countPortionSessions(
  db: Queryable,
  siteNo: number,
  portion: Portion,
): Promise<SessionTotals> {
  const { start, end, closedFrom, closedTo } = portion
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

/** @param dimensions of hits, of sessions, `error`, `property/{type}/{name}`, or `property` for all of those */
export async function countPortionValues(
  db: Queryable,
  siteNo: number,
  portion: Portion,
  dimensions: readonly string[],
): Promise<Tally> {
  const { start, end, hitsFrom, hitsTo, closedFrom, closedTo } = portion
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

/** Everything that adds up, and the latest hit. */
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
