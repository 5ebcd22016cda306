import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { HOUR_MS } from '../lib/time.ts'
import { type Block, HIT_DIMENSIONS, SESSION_DIMENSIONS } from './block.ts'
import { buildBlock, type HitRows, type Numbering, type SessionRows } from './build-block.ts'

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
const readHitColumns = query<Bounds & { earliest: Date; latest: Date }, Found<HitRows>>('read-hit-columns')

type ServiceRows = Omit<HitRows, 'pageAt' | 'scroll' | 'engagedMs' | 'errors'> &
  Pick<SessionRows, 'visitorNos' | 'startedAt'> & { sessionValues: string[][] }

const readServiceColumns = query<{ siteNo: number; start: Date; end: Date }, Found<ServiceRows>>(
  'read-service-columns',
)

/**
 * Reads the sessions that started in a span, with all their hits, as a block. Call it in a snapshot.
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
  for (const [index, { start }] of parts.entries()) {
    const end = parts[index + 1]?.start ?? span.end
    const part = { siteNo, from: new Date(start), to: new Date(end) }
    const [found] = await readSessionColumns(tx, part)
    if (found?.sessionNos) append(sessions, found)
    const [seen] = await readHitColumns(tx, {
      ...part,
      earliest: new Date(start - REACH_MS),
      latest: new Date(end + REACH_MS),
    })
    if (seen?.sessionNos) append(hits, seen)
  }
  return buildBlock(numbering, sessions, hits, false)
}

/** Reads the events of a time span that the service wrote, with copies of their sessions. Call it in a snapshot. */
export async function readServiceEvents(
  tx: Queryable,
  siteNo: number,
  { start, end }: Span,
  numbering: Numbering,
): Promise<Block> {
  const [found] = await readServiceColumns(tx, { siteNo, start: new Date(start), end: new Date(end) })
  if (!found?.sessionNos) return buildBlock(numbering, noSessions(), noHits(), true)
  const none = found.sessionNos.map(() => null)
  const hits = { ...found, pageAt: none, scroll: none, engagedMs: none, errors: none }
  return buildBlock(numbering, copiesOf(found), hits, true)
}

/** Returns the sessions that rows name, each once. */
export function copiesOf({
  sessionNos,
  visitorNos,
  startedAt,
  sessionValues,
}: Pick<ServiceRows, 'sessionNos' | 'sessionValues'> &
  Partial<Pick<ServiceRows, 'visitorNos' | 'startedAt'>>): SessionRows {
  const first = firstPositions(sessionNos)
  const of = <Value>(column: Value[]) => first.map(index => column[index]!)
  const zeros = first.map(() => 0)
  return {
    sessionNos: of(sessionNos),
    visitorNos: visitorNos ? of(visitorNos) : first.map(() => null),
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
