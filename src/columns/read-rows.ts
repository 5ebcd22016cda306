import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { HOUR_MS } from '../lib/time.ts'
import { type Block, HIT_DIMENSIONS, SESSION_DIMENSIONS } from './block.ts'
import { buildBlock, type HitRows, type Numbering, type SessionRows } from './build-block.ts'
import type { VitalRows } from './build-vitals.ts'

/** Half-open, Unix milliseconds. */
export interface Span {
  start: number
  end: number
}

/** Hits of a session lie at most 24 hours from its start, on either side (docs/metrics.md "Session"). */
export const REACH_MS = 25 * HOUR_MS

/** Sessions and their hits that one pair of statements reads, about: no statement of the embedded database may take long. */
const ROWS_OF_STATEMENT = 15_000

type Bounds = { siteNo: number; from: Date; to: Date }
type Found<Columns> = Columns | { [Column in keyof Columns]: null }

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

/**
 * Reads the sessions that started in a span, with all their hits, and their web vitals, as a block. Call it in a snapshot.
 * @param rows sessions and hits that one pair of statements reads, about
 */
export async function readSpan(
  tx: Queryable,
  siteNo: number,
  span: Span,
  numbering: Numbering,
  rows = ROWS_OF_STATEMENT,
): Promise<Block> {
  const bounds = { siteNo, from: new Date(span.start), to: new Date(span.end) }
  const parts = await cutSessions(tx, { ...bounds, rows })
  const sessions = noSessions()
  const hits = noHits()
  const vitals = noVitals()
  for (const [index, { start }] of parts.entries()) {
    const end = parts[index + 1]?.start ?? span.end
    const part = { siteNo, from: new Date(start), to: new Date(end) }
    const [found] = await readSessionColumns(tx, part)
    if (found?.sessionNos) append(sessions, found)
    const around = { ...part, earliest: new Date(start - REACH_MS), latest: new Date(end + REACH_MS) }
    const [seen] = await readHitColumns(tx, around)
    if (seen?.sessionNos) append(hits, seen)
    const [reported] = await readVitalColumns(tx, around)
    if (reported?.sessionNos) append(vitals, reported)
  }
  return buildBlock(numbering, { sessions, hits, vitals }, false)
}

/** Reads the events of a time span that the service wrote, with copies of their sessions. Call it in a snapshot. */
export async function readServiceEvents(
  tx: Queryable,
  siteNo: number,
  { start, end }: Span,
  numbering: Numbering,
): Promise<Block> {
  const [found] = await readServiceColumns(tx, { siteNo, start: new Date(start), end: new Date(end) })
  const vitals = noVitals()
  if (!found?.sessionNos)
    return buildBlock(numbering, { sessions: noSessions(), hits: noHits(), vitals }, true)
  const first = firstPositions(found.sessionNos)
  const of = <Value>(column: Value[]) => first.map(index => column[index]!)
  const zeros = first.map(() => 0)
  const none = found.sessionNos.map(() => null)
  const sessions: SessionRows = {
    sessionNos: of(found.sessionNos),
    visitorNos: of(found.visitorNos),
    recognized: of(found.recognized),
    startedAt: of(found.startedAt),
    firstAt: zeros,
    lastAt: zeros,
    durationMs: zeros,
    pageviews: zeros,
    events: zeros,
    values: found.sessionValues.map(of),
  }
  const hits = { ...found, pageAt: none, scroll: none, engagedMs: none, errors: none }
  return buildBlock(numbering, { sessions, hits, vitals }, true)
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

const noHits = (): HitRows => ({
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

const noVitals = (): VitalRows => ({
  sessionNos: [],
  at: [],
  values: [[], [], []],
  properties: [],
  ...{ lcp: [], inp: [], cls: [], fcp: [], ttfb: [] },
  ...{ lcpTarget: [], inpTarget: [], clsTarget: [] },
  ...{ lcpPhase: [], inpPhase: [], fcpPhase: [], ttfbPhase: [] },
})

/** Appends rows, column by column; `values` is a list of columns. */
function append<Rows extends { values: string[][] }>(rows: Rows, more: Rows): void {
  const { values, ...columns } = rows as Rows & Record<string, unknown>
  for (const name of Object.keys(columns)) {
    appendAll(columns[name] as unknown[], (more as Record<string, unknown>)[name] as unknown[])
  }
  for (const [index, column] of (values as string[][]).entries()) appendAll(column, more.values[index]!)
}

/** Not by `push(...more)`, which puts each entry on the stack. */
function appendAll<Value>(column: Value[], more: readonly Value[]): void {
  for (const value of more) column.push(value)
}
