import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { type Block, bytesOf, HIT_DIMENSIONS, SESSION_DIMENSIONS } from './block.ts'
import { buildBlock, type HitRows, type Numbering, type SessionRows } from './build-block.ts'
import { noVitals, type VitalRows } from './build-vitals.ts'
import { cutBlock, joinBlocks } from './join-blocks.ts'
import { lowerBound } from './positions.ts'
import type { Span } from './spans.ts'
import { SiteTexts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/** Hits of a session lie at most 24 hours from its start, on either side (docs/metrics.md "Session"). */
export const REACH_MS = 25 * HOUR_MS

/** Sessions and their hits that one pair of statements reads, about: no statement of the embedded database may take long. */
const ROWS_OF_STATEMENT = 15_000

type Bounds = { siteNo: number; from: Date; to: Date }
export type Found<Columns> = Columns | { [Column in keyof Columns]: null }

// Each part begins with a session. Sessions that started at the same moment are in one part.
const cutSessions = query<Bounds & { rows: number }, { start: number }>(
  'cut-sessions',
  `
  select (extract(epoch from min(started_at)) * 1000)::bigint as start
  from (
    select started_at, (sum(1 + pageviews + events) over (order by started_at) - 1) / :rows::bigint as part
    from sessions
    where site_no = :siteNo::int and started_at >= :from::timestamptz and started_at < :to::timestamptz
  ) as session
  group by part
  order by part`,
)

const readSessionColumns = query<Bounds, Found<SessionRows>>('read-session-columns')

/** Hits of the sessions lie in [earliest, latest). */
type HitBounds = Bounds & { earliest: Date; latest: Date }

const readHitColumns = query<HitBounds, Found<HitRows>>('read-hit-columns')
const readVitalColumns = query<HitBounds, Found<VitalRows>>('read-vital-columns')

type ServiceRows = Omit<HitRows, 'pageAt' | 'scroll' | 'engagedMs' | 'errors'> &
  Pick<SessionRows, 'visitorNos' | 'recognized' | 'startedAt'> & { sessionValues: string[][] }

const readServiceColumns = query<{ siteNo: number; start: Date; end: Date }, Found<ServiceRows>>(
  'read-service-columns',
)

const readServiceHits = query<
  { siteNo: number; start: Date; end: Date },
  Found<Pick<HitRows, 'at' | 'types'>>
>(
  'read-service-hits',
  `select json_agg((extract(epoch from at) * 1000)::bigint order by at) as at, json_agg(type order by at) as types
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service`,
)

/**
 * Reads the sessions that started in spans, with all their hits and web vitals, as one block for each span. Call it in a snapshot.
 * @param spans adjacent, in order of time
 * @param mostBytes most memory that the blocks may take together
 * @param rows sessions and hits that one pair of statements reads, about
 * @returns undefined when they take more
 */
export async function readSpans(
  tx: Queryable,
  siteNo: number,
  spans: readonly Span[],
  numbering: Numbering,
  mostBytes = Number.POSITIVE_INFINITY,
  rows = ROWS_OF_STATEMENT,
): Promise<Block[] | undefined> {
  const span = { start: spans[0]!.start, end: spans.at(-1)!.end }
  const bounds = { siteNo, from: new Date(span.start), to: new Date(span.end) }
  const parts = await cutSessions(tx, { ...bounds, rows })
  const blocks = [EMPTY]
  let bytes = 0
  for (const [index, { start }] of parts.entries()) {
    const end = parts[index + 1]?.start ?? span.end
    const part = { siteNo, from: new Date(start), to: new Date(end) }
    const [sessions] = await readSessionColumns(tx, part)
    if (!sessions?.sessionNos) continue
    const around = {
      ...part,
      earliest: new Date(sessions.firstAt.reduce((least, at) => Math.min(least, at), start)),
      latest: new Date(sessions.lastAt.reduce((most, at) => Math.max(most, at), start) + 1),
    }
    const [hits] = await readHitColumns(tx, around)
    const [vitals] = await readVitalColumns(tx, around)
    const rows = {
      sessions,
      hits: hits?.sessionNos ? hits : noHits(),
      vitals: vitals?.sessionNos ? vitals : noVitals(),
    }
    const block = buildBlock(numbering, rows, false)
    blocks.push(block)
    bytes += bytesOf(block)
    if (bytes > mostBytes) return undefined
  }
  const all = blocks.length === 1 ? blocks[0]! : joinBlocks(blocks)
  if (spans.length === 1) return [all]
  return spans.map(({ start, end }) => {
    const [first, last] = [lowerBound(all.sessions.startedAt, start), lowerBound(all.sessions.startedAt, end)]
    return first === last ? EMPTY : cutBlock(all, first, last)
  })
}

/**
 * Reads the events of spans that the service wrote, with copies of their sessions, as one block for each span. Call it in a snapshot.
 * @param spans adjacent, in order of time
 */
export async function readServiceEvents(
  tx: Queryable,
  siteNo: number,
  spans: readonly Span[],
  numbering: Numbering,
): Promise<Block[]> {
  const [start, end] = [new Date(spans[0]!.start), new Date(spans.at(-1)!.end)]
  const [found] = await readServiceColumns(tx, { siteNo, start, end })
  return serviceBlocks(found, spans, rows => {
    const none = rows.sessionNos.map(() => null)
    const hits = { ...rows, pageAt: none, scroll: none, engagedMs: none, errors: none }
    return buildBlock(numbering, { sessions: copiesOf(rows), hits, vitals: noVitals() }, true)
  })
}

/**
 * Reads only times and types of the events of spans that the service wrote, as one block for each span, without a lookup for each.
 * @param spans adjacent, in order of time
 */
export async function readServiceTimes(
  tx: Queryable,
  siteNo: number,
  spans: readonly Span[],
  numbering: Numbering,
): Promise<Block[]> {
  const [start, end] = [new Date(spans[0]!.start), new Date(spans.at(-1)!.end)]
  const [found] = await readServiceHits(tx, { siteNo, start, end })
  return serviceBlocks(found, spans, ({ at, types }) => {
    const [none, zeros, texts] = [at.map(() => null), at.map(() => 0), at.map(() => '')]
    const values = HIT_DIMENSIONS.map(() => texts)
    const engagement = { pageAt: none, scroll: none, engagedMs: none }
    const others = { revenue: none, currencies: none, errors: none, properties: none }
    const hits = { at, types, sessionNos: zeros, values, ...engagement, ...others }
    const sessions = copiesOf({ sessionNos: zeros, sessionValues: SESSION_DIMENSIONS.map(() => texts) })
    return buildBlock(numbering, { sessions, hits, vitals: noVitals() }, true)
  })
}

/** Makes the block of each span from its part of the rows of all. */
function serviceBlocks<Rows extends { at: number[] }>(
  found: Found<Rows> | undefined,
  spans: readonly Span[],
  build: (rows: Rows) => Block,
): Block[] {
  return spans.map(span => {
    if (!found?.at) return EMPTY_SERVICE
    const [from, to] = [lowerBound(found.at, span.start), lowerBound(found.at, span.end)]
    if (from === to) return EMPTY_SERVICE
    const columns = Object.entries(found).map(([name, column]) => [
      name,
      partOf(column as unknown[], from, to),
    ])
    return build(Object.fromEntries(columns) as Rows)
  })
}

/** Returns a part of a column, or of each column of a list of them. */
export const partOf = (column: unknown[], from: number, to: number): unknown[] =>
  Array.isArray(column[0]) ? column.map(each => (each as unknown[]).slice(from, to)) : column.slice(from, to)

/** Returns the sessions that rows name, each once. */
export function copiesOf({
  sessionNos,
  visitorNos,
  recognized,
  startedAt,
  sessionValues,
}: Pick<ServiceRows, 'sessionNos' | 'sessionValues'> &
  Partial<Pick<ServiceRows, 'visitorNos' | 'recognized' | 'startedAt'>>): SessionRows {
  const first = firstPositions(sessionNos)
  const of = <Value>(column: Value[]) => first.map(index => column[index]!)
  const zeros = first.map(() => 0)
  return {
    sessionNos: of(sessionNos),
    visitorNos: visitorNos ? of(visitorNos) : first.map(() => null),
    recognized: recognized ? of(recognized) : first.map(() => false),
    startedAt: startedAt ? of(startedAt) : zeros,
    firstAt: zeros,
    lastAt: zeros,
    durationMs: zeros,
    pageviews: zeros,
    events: zeros,
    values: sessionValues.map(of),
  }
}

/** Returns where each of the numbers stands first. */
const firstPositions = (numbers: readonly number[]): number[] => {
  const seen = new Set<number>()
  return numbers.flatMap((number, index) => {
    if (seen.has(number)) return []
    seen.add(number)
    return [index]
  })
}

const noSessions = (): SessionRows => ({
  sessionNos: [],
  visitorNos: [],
  recognized: [],
  startedAt: [],
  firstAt: [],
  lastAt: [],
  durationMs: [],
  pageviews: [],
  events: [],
  values: SESSION_DIMENSIONS.map(() => []),
})

export const noHits = (): HitRows => ({
  sessionNos: [],
  at: [],
  types: [],
  values: HIT_DIMENSIONS.map(() => []),
  pageAt: [],
  scroll: [],
  engagedMs: [],
  revenue: [],
  currencies: [],
  errors: [],
  properties: [],
})

const nothing = (isService: boolean): Block =>
  buildBlock(
    { texts: new SiteTexts(), visitors: new VisitorNumbers() },
    { sessions: noSessions(), hits: noHits(), vitals: noVitals() },
    isService,
  )
/** All spans without rows share one block. */
export const EMPTY = nothing(false)
const EMPTY_SERVICE = nothing(true)
