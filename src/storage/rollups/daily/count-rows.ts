import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { EventType } from '../../../platform/dimensions/event-types.ts'
import { type ZoneOffsets, zoneOffsets } from '../../../platform/time/zone-offsets.ts'
import { datesOf, type TrafficTotals, type Window } from '../protocol.ts'
import { type Counts, noCounts } from './codec.ts'
import { distinctOf, readIntArray } from './visitor-set.ts'

export type SessionTotals = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>
/** Hits by type, without those of the service. Types without hits are absent. */
export type HitsByType = Partial<Record<EventType, number>>

export interface ValueCounts {
  counts: Counts
  /** Distinct visitor_no, in any order. */
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

interface Day {
  siteNo: number
  start: Date
  end: Date
}

const countHits = query<Day, { type: EventType; hits: number; visitors: Buffer }>(
  'count-day-hits',
  `select type, sum(hits)::bigint as hits, array_send(array_agg(visitor_no)) as visitors
  from (
    select type, visitor_no, count(*) as hits
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
      and type not in ('engagement', 'identify') and not is_service
    group by 1, 2
  ) as of_visitor
  group by 1`,
)

const countSessions = query<Day, SessionTotals>(
  'count-day-sessions',
  `select
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0)::float8 as "durationMs"
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz`,
)

const countValues = query<Day & ZoneOffsets & { dimensions: readonly string[] }, ValueRow>('count-day-values')

/** Returns the totals of a day with its visitors, in any order and some of them several times. Call it in a snapshot. */
export async function countDay(
  tx: Queryable,
  siteNo: number,
  day: Window,
): Promise<SessionTotals & { types: HitsByType; visitors: Uint32Array[] }> {
  const asked = { siteNo, ...datesOf(day) }
  const [hits, [sessions]] = await Promise.all([countHits(tx, asked), countSessions(tx, asked)])
  const types = Object.fromEntries(hits.map(row => [row.type, row.hits]))
  return { ...sessions!, types, visitors: hits.map(({ visitors }) => readIntArray(visitors)) }
}

/**
 * Returns the counts of a day by value of each dimension that has values.
 * @param dimensions of hits, of sessions, `hour_of_week`, `error`, `property/{type}/{name}`, or `property` for all event types and
 * names
 * @param zone of the site; only `hour_of_week` needs it
 */
export async function countDayValues(
  tx: Queryable,
  siteNo: number,
  day: Window,
  dimensions: readonly string[],
  zone: string,
): Promise<Map<string, CountsByValue>> {
  const offsets = zoneOffsets(zone, day.start, day.end)
  const rows = await countValues(tx, { siteNo, ...datesOf(day), ...offsets, dimensions })
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

/** Adds all counts except visitors; keeps the latest `lastAt`. */
function addCounts(into: Counts, { lastAt, ...counts }: RowCounts): void {
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
