import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { dimensionsOfLevel } from '../../dimensions/dimensions.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { datesOf, type Window } from '../protocol.ts'
import { encodeBlock, toSteps } from './codec.ts'

/** Dimensions that a session takes from its opening hit, in the order in which `list-sessions-by-column` returns them. */
const SESSION_DIMENSIONS = [...dimensionsOfLevel('session'), ...dimensionsOfLevel('session-row')]
const HIT_DIMENSIONS = dimensionsOfLevel('hit')

/** Returns whether engagement counts for the values of a dimension. */
export const isMeasured = (dimension: string): boolean => dimension === 'path' || dimension === 'title'

/** Name of the block with these measures, in the order of that of the dimension: as much again, and often not needed. */
export const measuresOf = (dimension: string) => `${dimension}/measures`

/** Name of the block with what has no dimension. */
export const SESSIONS = 'sessions'

/** Whose latest hits are looked up. */
const LOCATED = 'title'

/** Bits of `flags` of a session. */
export const HAS_HITS = 1
export const IS_STARTED = 2
export const IS_BOUNCE = 4
/** Bits of `flags` of what a session saw of a value; also `HAS_HITS`. */
export const IS_SEEN = 2
export const IS_ENGAGED = 4
export const HAS_SCROLLED = 8

/** Hits of a session lie at most 24 hours from its start, on either side (docs/metrics.md "Session"). */
const REACH_MS = 25 * HOUR_MS

/** Sessions and their hits of a part, about: a thread has the columns of a part in memory. */
export const ROWS_OF_PART = 150_000

type Bounds = { siteNo: number; from: Date; to: Date }

interface SessionColumns {
  sessionNos: number[]
  visitorNos: number[]
  /** Unix milliseconds. */
  startedAt: number[]
  pageviews: number[]
  durationMs: number[]
  attributes: string[][]
}

/** All are null where no session started. */
type StoredSessions = SessionColumns | { [Column in keyof SessionColumns]: null }

interface SeenColumns {
  dimension: string
  values: string[]
  sessionNos: number[]
  hits: number[]
  pageviews: number[]
  customEvents: number[]
  lastAt: number[]
  isSeen: number[]
  engagedMs: number[]
  scroll: number[]
}

// Each part begins with a session. Sessions that started at the same moment are in one part.
const selectPartStarts = query<{ siteNo: number; start: Date; end: Date; rows: number }, { start: number }>(
  'select-part-starts',
  `
  select (extract(epoch from min(started_at)) * 1000)::bigint as start
  from (
    select started_at, (sum(1 + pageviews + events) over (order by started_at) - 1) / :rows::bigint as part
    from sessions
    where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
  ) as session
  group by part
  order by part`,
)

const listSessionsByColumn = query<
  Bounds & { start: Date; end: Date; others: readonly number[] },
  StoredSessions
>('list-sessions-by-column')

const listValuesOfSessions = query<
  Bounds & { start: Date; end: Date; earliest: Date; latest: Date; dimensions: readonly string[] },
  SeenColumns
>('list-values-of-sessions')

/** Blocks of some sessions of a day, encoded, by name: `SESSIONS`, or a dimension. */
export type Part = Map<string, Buffer>

/** A part as it was read: to encode it takes time, and needs no transaction. */
interface RawPart {
  found: StoredSessions
  seen: SeenColumns[]
}

/** Each part reads the hits of up to three days: of a larger day, rows are read. */
const MOST_PARTS = 16

/**
 * Reads the sessions that started on a day or have hits there. Call it in a snapshot.
 * @param rows sessions and hits of a part, about
 * @returns undefined for a day that is too large
 */
export async function readRawParts(
  tx: Queryable,
  siteNo: number,
  day: Window,
  rows: number,
): Promise<RawPart[] | undefined> {
  const found = await selectPartStarts(tx, { siteNo, ...datesOf(day), rows })
  const cuts = found.slice(1).map(({ start }) => start)
  if (cuts.length >= MOST_PARTS) return undefined
  const bounds = [day.start - REACH_MS, ...cuts, day.end + REACH_MS]
  const parts: RawPart[] = []
  for (const [index, start] of bounds.slice(0, -1).entries()) {
    parts.push(await readRawPart(tx, siteNo, day, { start, end: bounds[index + 1]! }))
  }
  return parts
}

/**
 * Returns the blocks of each part.
 * @param leftOut numbers of sessions that they do not have
 */
export function encodeParts(parts: readonly RawPart[], day: Window, leftOut: readonly number[]): Part[] {
  const absent = new Set(leftOut)
  return parts.map(({ found, seen }) => encodePart(found, seen, day, absent))
}

async function readRawPart(tx: Queryable, siteNo: number, day: Window, started: Window): Promise<RawPart> {
  const bounds: Bounds = { siteNo, from: new Date(started.start), to: new Date(started.end) }
  const seen = await listValuesOfSessions(tx, {
    ...bounds,
    ...datesOf(day),
    earliest: new Date(Math.max(day.start, started.start) - REACH_MS),
    latest: new Date(Math.min(day.end, started.end) + REACH_MS),
    dimensions: HIT_DIMENSIONS,
  })
  const [found] = await listSessionsByColumn(tx, {
    ...bounds,
    ...datesOf(day),
    others: startedElsewhere(seen),
  })
  return { found: found!, seen }
}

/** Returns the sessions with hits on the day that started on another one. */
function startedElsewhere([ofHits]: readonly SeenColumns[]): number[] {
  return [...new Set(ofHits?.sessionNos.filter((_, index) => ofHits.isSeen[index] === 0))]
}

const NONE: SessionColumns = {
  sessionNos: [],
  visitorNos: [],
  startedAt: [],
  pageviews: [],
  durationMs: [],
  attributes: [],
}

function encodePart(
  found: StoredSessions,
  seen: readonly SeenColumns[],
  day: Window,
  leftOut: ReadonlySet<number>,
): Part {
  const all: SessionColumns = found.sessionNos ? found : NONE
  const [ofHits] = seen
  const hits = ofHits ? countHits(ofHits) : new Map<number, HitCounts>()
  const isStarted = (index: number) => all.startedAt[index]! >= day.start && all.startedAt[index]! < day.end
  const kept = all.sessionNos.flatMap((sessionNo, index) =>
    (isStarted(index) || hits.has(sessionNo)) && !leftOut.has(sessionNo) ? [index] : [],
  )
  const of = <Value>(column: readonly Value[]) => kept.map(index => column[index]!)
  const sessionNos = of(all.sessionNos)
  const hitsOf = (sessionNo: number) => hits.get(sessionNo) ?? NO_HITS
  const part: Part = new Map()
  part.set(
    SESSIONS,
    encodeBlock({
      sessionSteps: toSteps(sessionNos),
      visitorNos: of(all.visitorNos),
      flags: kept.map(
        index =>
          (hits.has(all.sessionNos[index]!) ? HAS_HITS : 0) |
          (isStarted(index) ? IS_STARTED : 0) |
          (isStarted(index) && all.pageviews[index] === 1 ? IS_BOUNCE : 0),
      ),
      pageviews: sessionNos.map(sessionNo => hitsOf(sessionNo).pageviews),
      customEvents: sessionNos.map(sessionNo => hitsOf(sessionNo).customEvents),
      durationMs: kept.map(index => (isStarted(index) ? all.durationMs[index]! : 0)),
    }),
  )
  for (const [position, dimension] of SESSION_DIMENSIONS.entries()) {
    const { texts, ids } = numbered(of(all.attributes[position] ?? []))
    part.set(dimension, encodeBlock({ ids }, texts))
  }
  const indexOf = new Map(sessionNos.map((sessionNo, index) => [sessionNo, index]))
  for (const columns of seen) {
    const { block, measures } = encodeSeen(columns, indexOf, day)
    part.set(columns.dimension, block)
    if (isMeasured(columns.dimension)) part.set(measuresOf(columns.dimension), measures)
  }
  return part
}

interface HitCounts {
  pageviews: number
  customEvents: number
}
const NO_HITS: HitCounts = { pageviews: 0, customEvents: 0 }

/** Counts of the hits of the day by session: each hit has one value of a dimension. Sessions without hits on the day are absent. */
function countHits({ sessionNos, hits, pageviews, customEvents }: SeenColumns): Map<number, HitCounts> {
  const counts = new Map<number, HitCounts>()
  for (const [index, sessionNo] of sessionNos.entries()) {
    if (hits[index] === 0) continue
    const before = counts.get(sessionNo) ?? NO_HITS
    counts.set(sessionNo, {
      pageviews: before.pageviews + pageviews[index]!,
      customEvents: before.customEvents + customEvents[index]!,
    })
  }
  return counts
}

/** Replaces texts by numbers, from 0 in the order in which they come. */
function numbered(values: readonly string[]): { texts: string[]; ids: number[] } {
  const idOf = new Map<string, number>()
  const ids = values.map(value => {
    let id = idOf.get(value)
    if (id === undefined) {
      id = idOf.size
      idOf.set(value, id)
    }
    return id
  })
  return { texts: [...idOf.keys()], ids }
}

/** @param indexOf position of each session in the columns of the sessions */
function encodeSeen(
  columns: SeenColumns,
  indexOf: ReadonlyMap<number, number>,
  day: Window,
): { block: Buffer; measures: Buffer } {
  const { sessionNos, hits, isSeen, engagedMs, scroll } = columns
  const order = [...sessionNos.keys()]
    .filter(index => indexOf.has(sessionNos[index]!))
    .sort((a, b) => indexOf.get(sessionNos[a]!)! - indexOf.get(sessionNos[b]!)!)
  const of = <Value>(column: readonly Value[]) => order.map(index => column[index]!)
  const { texts, ids } = numbered(of(columns.values))
  const block = encodeBlock(
    {
      sessionSteps: toSteps(order.map(index => indexOf.get(sessionNos[index]!)!)),
      ids,
      flags: order.map(index => {
        const isCounted = isSeen[index] === 1 && engagedMs[index]! >= 0
        return (
          (hits[index]! > 0 ? HAS_HITS : 0) |
          (isSeen[index] === 1 ? IS_SEEN : 0) |
          (isCounted ? IS_ENGAGED : 0) |
          (isCounted && scroll[index]! >= 0 ? HAS_SCROLLED : 0)
        )
      }),
      pageviews: of(columns.pageviews),
    },
    texts,
  )
  const measures = encodeBlock({
    engagedMs: order.map(index => Math.max(0, engagedMs[index]!)),
    scroll: order.map(index => Math.max(0, scroll[index]!)),
    ...(columns.dimension === LOCATED && {
      // Of hits on the day; 0 without any, so that the start of the day is 1.
      lastAt: order.map(index => (hits[index]! > 0 ? columns.lastAt[index]! - day.start + 1 : 0)),
    }),
  })
  return { block, measures }
}
