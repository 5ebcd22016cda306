import type { Block, HitColumns, SessionColumns } from './block.ts'
import { BLOCK_TYPES, HIT_DIMENSIONS, NONE, numbersOf, SESSION_DIMENSIONS } from './block.ts'
import { buildVitals, type VitalRows } from './build-vitals.ts'
import { fill } from './fill.ts'
import type { SiteTexts } from './texts.ts'
import { NO_VISITOR, type VisitorNumbers } from './visitor-numbers.ts'

/** What the numbers of blocks of a site stand for. */
export interface Numbering {
  texts: SiteTexts
  visitors: VisitorNumbers
}

/** Sessions as they are read: an array for each column, in any order. Times are Unix milliseconds. */
export interface SessionRows {
  sessionNos: number[]
  /** Null for events of no visitor. */
  visitorNos: (number | null)[]
  recognized: boolean[]
  startedAt: number[]
  firstAt: number[]
  lastAt: number[]
  durationMs: number[]
  pageviews: number[]
  events: number[]
  /** Values of `SESSION_DIMENSIONS`, in that order. */
  values: string[][]
}

/** Hits as they are read: an array for each column, in order of time and id. */
export interface HitRows {
  sessionNos: number[]
  at: number[]
  types: string[]
  /** Values of `HIT_DIMENSIONS`, in that order. */
  values: string[][]
  pageAt: (number | null)[]
  scroll: (number | null)[]
  engagedMs: (number | null)[]
  /** Minor units, digits: they may exceed the integers that JavaScript represents exactly. */
  revenue: (string | null)[]
  currencies: (string | null)[]
  errors: (string | null)[]
  properties: (Record<string, string> | null)[]
}

export interface BlockRows {
  sessions: SessionRows
  hits: HitRows
  vitals: VitalRows
}

/** Builds a block. Hits whose session is not among the sessions are left out, and web vitals whose pageview is not among the hits. */
export function buildBlock(
  numbering: Numbering,
  { sessions, hits, vitals }: BlockRows,
  isService: boolean,
): Block {
  const count = sessions.sessionNos.length
  const positionOf = new Map(sessions.sessionNos.map((no, position) => [no, position]))
  const sessionOf = fill(
    new Int32Array(hits.sessionNos.length),
    hit => positionOf.get(hits.sessionNos[hit]!) ?? NONE,
  )
  const { firstHit, order } = bySession(sessionOf, count)
  const columns = hitColumns(numbering, hits, sessionOf, order)
  return {
    isService,
    sessions: sessionColumns(numbering, sessions, firstHit),
    hits: columns,
    vitals: buildVitals({ texts: numbering.texts, positionOf, firstHit, hits: columns }, vitals),
  }
}

/** Sorts hits by session; those of one session stay in their order. */
function bySession(sessionOf: Int32Array, count: number): { firstHit: Int32Array; order: Int32Array } {
  const firstHit = new Int32Array(count + 1)
  for (const session of sessionOf) if (session !== NONE) firstHit[session + 1]! += 1
  for (let session = 0; session < count; session++) firstHit[session + 1]! += firstHit[session]!
  const next = firstHit.slice()
  const order = new Int32Array(firstHit[count]!)
  for (const [hit, session] of sessionOf.entries()) {
    if (session !== NONE) order[next[session]!++] = hit
  }
  return { firstHit, order }
}

function sessionColumns(
  { texts, visitors }: Numbering,
  rows: SessionRows,
  firstHit: Int32Array,
): SessionColumns {
  const visitorOf = (visitorNo: number | null) =>
    visitorNo === null ? NO_VISITOR : visitors.numberOf(visitorNo)
  const values = {} as SessionColumns['values']
  for (const [index, dimension] of SESSION_DIMENSIONS.entries()) {
    const known = texts.ofDimension(dimension)
    const column = rows.values[index]!
    values[dimension] = numbersOf(
      fill(new Int32Array(column.length), session => known.numberOf(column[session]!)),
    )
  }
  return {
    count: rows.sessionNos.length,
    no: Float64Array.from(rows.sessionNos),
    visitor: fill(new Int32Array(rows.visitorNos.length), session => visitorOf(rows.visitorNos[session]!)),
    isRecognized: Uint8Array.from(rows.recognized, Number),
    startedAt: Float64Array.from(rows.startedAt),
    firstAt: Float64Array.from(rows.firstAt),
    lastAt: Float64Array.from(rows.lastAt),
    durationMs: numbersOf(rows.durationMs),
    pageviews: numbersOf(rows.pageviews),
    events: numbersOf(rows.events),
    values,
    firstHit,
  }
}

function hitColumns(
  { texts }: Numbering,
  rows: HitRows,
  sessionOf: Int32Array,
  order: Int32Array,
): HitColumns {
  const ofHits = <Column extends { length: number; [index: number]: number }>(
    column: Column,
    of: (hit: number) => number,
  ) => fill(column, position => of(order[position]!))
  const { length } = order
  const numbers = (of: (hit: number) => number) => numbersOf(ofHits(new Float64Array(length), of))
  const values = {} as HitColumns['values']
  for (const [index, dimension] of HIT_DIMENSIONS.entries()) {
    const known = texts.ofDimension(dimension)
    const column = rows.values[index]!
    values[dimension] = numbers(hit => known.numberOf(column[hit]!))
  }
  const errors = texts.of('error')
  const amounts = texts.of('amount')
  const currencies = texts.of('currency')
  const types: readonly string[] = BLOCK_TYPES
  return {
    count: order.length,
    session: ofHits(new Int32Array(length), hit => sessionOf[hit]!),
    at: ofHits(new Float64Array(length), hit => rows.at[hit]!),
    type: ofHits(new Uint8Array(length), hit => types.indexOf(rows.types[hit]!)),
    values,
    pageAt: ofHits(new Float64Array(length), hit => rows.pageAt[hit] ?? 0),
    scroll: ofHits(new Int16Array(length), hit => rows.scroll[hit] ?? NONE),
    engagedMs: numbers(hit => rows.engagedMs[hit] ?? 0),
    revenue: numbers(hit => amounts.numberOf(rows.revenue[hit] ?? '')),
    currency: numbers(hit => currencies.numberOf(rows.currencies[hit] ?? '')),
    error: numbers(hit => errors.numberOf(rows.errors[hit] ?? '')),
    ...propertyColumns(texts, rows, order),
  }
}

function propertyColumns(texts: SiteTexts, { properties }: HitRows, order: Int32Array) {
  const keys = texts.of('property_key')
  const values = texts.of('property_value')
  const firstProperty = new Int32Array(order.length + 1)
  const propertyKeys: number[] = []
  const propertyValues: number[] = []
  for (const [position, hit] of order.entries()) {
    for (const [key, value] of Object.entries(properties[hit] ?? {})) {
      propertyKeys.push(keys.numberOf(key))
      propertyValues.push(values.numberOf(value))
    }
    firstProperty[position + 1] = propertyKeys.length
  }
  return {
    firstProperty,
    propertyKeys: numbersOf(propertyKeys),
    propertyValues: numbersOf(propertyValues),
  }
}
