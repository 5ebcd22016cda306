import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { TIME_UNITS, type TimedDimension } from '../../dimensions/rolled-up.ts'
import { arraysOf, datesOf, type Window } from '../protocol.ts'
import { type CoveringRollup, readCoverage } from './read-coverage.ts'
import { type RowSlice, type SessionBounds, sessionBoundsOf } from './row-slice.ts'
import { decodeTimes, findTimes, type TimesPlace } from './times-codec.ts'
import { valueIdsOf } from './value-dictionary.ts'

/** How often a value occurred at a time, Unix milliseconds: of titles, how many sessions began in the quarter-hour. */
export interface TimeCount {
  at: number
  count: number
}

/** A value of a dimension with times. */
export interface TimedSubject {
  siteNo: number
  dimension: TimedDimension
  value: string
}

/** Days of a dimension of a site. */
export interface DaysOf {
  siteNo: number
  dimension: string
  starts: Date[]
  ends: Date[]
}

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long. Days without values are absent.
const selectTimesIndexes = query<DaysOf, { start: number; index: string | null }>(
  'select-times-indexes',
  `
  select (extract(epoch from daily_value_rollups.starts_at) * 1000)::bigint as start, encode(times_index, 'base64') as index
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  join daily_value_rollups on
    daily_value_rollups.site_no = :siteNo::int and daily_value_rollups.dimension = :dimension
    and daily_value_rollups.starts_at = day.starts_at and daily_value_rollups.ends_at = day.ends_at`,
)

/** Reads the times of values, each on a day. */
export const selectTimes = query<
  DaysOf & { valueIds: number[]; offsets: number[]; sizes: number[] },
  { valueId: number; start: number; times: string }
>(
  'select-times-of-values',
  `
  select
    value_id as "valueId",
    (extract(epoch from daily_value_rollups.starts_at) * 1000)::bigint as start,
    encode(substring(times from place_offset + 1 for place_size), 'base64') as times
  from unnest(:starts::timestamptz[], :ends::timestamptz[], :valueIds::int[], :offsets::int[], :sizes::int[])
    as day (starts_at, ends_at, value_id, place_offset, place_size)
  join daily_value_rollups on
    daily_value_rollups.site_no = :siteNo::int and daily_value_rollups.dimension = :dimension
    and daily_value_rollups.starts_at = day.starts_at and daily_value_rollups.ends_at = day.ends_at`,
)

/** Occurrences of an error in a part of time, by millisecond. */
const listErrorTimes = query<{ siteNo: number; errorId: string; start: Date; end: Date }, TimeCount>(
  'list-error-times',
  `
  select (extract(epoch from at) * 1000)::bigint as at, count(*) as count
  from events
  where site_no = :siteNo::int and type = 'error' and error_id = :errorId::uuid and not is_service
    and at >= :start::timestamptz and at < :end::timestamptz
  group by 1`,
)

const listTitleTimes = query<SessionBounds & { title: string }, TimeCount>('list-title-times')

/**
 * Returns when a value occurred in a window, in any order: from rollups, and from the rows that they lack. Call it in a snapshot.
 * @returns undefined when too little of the window is rolled up, or a day has more values than a rollup holds
 */
export async function readTimes(
  tx: Queryable,
  subject: TimedSubject,
  window: Window,
): Promise<TimeCount[] | undefined> {
  const coverage = await readCoverage(tx, subject.siteNo, window, { cutsDays: true })
  if (!coverage) return undefined
  const [rolledUp, ...rows] = await Promise.all([
    readRolledUp(tx, subject, coverage.rollups),
    ...coverage.slices.map(slice => countSliceTimes(tx, subject, slice)),
  ])
  return rolledUp && [...rolledUp, ...rows.flat()]
}

async function readRolledUp(
  tx: Queryable,
  { siteNo, dimension, value }: TimedSubject,
  rollups: readonly CoveringRollup[],
): Promise<TimeCount[] | undefined> {
  if (rollups.length === 0) return []
  const [indexes, valueIds] = await Promise.all([
    selectTimesIndexes(tx, {
      siteNo,
      dimension,
      ...arraysOf(rollups.map(({ day }) => ({ ...day, siteNo }))),
    }),
    valueIdsOf(tx, siteNo, [value], { addsMissing: false }),
  ])
  if (indexes.some(({ index }) => index === null)) return undefined
  const valueId = valueIds.get(value)
  if (valueId === undefined) return []
  const indexOf = new Map(indexes.map(({ start, index }) => [start, Buffer.from(index!, 'base64')]))
  const places = rollups.flatMap(rollup => {
    const index = indexOf.get(rollup.day.start)
    const place = index && findTimes(index, valueId)
    return place ? [{ rollup, place }] : []
  })
  return readPlaces(tx, { siteNo, dimension, valueId }, places)
}

async function readPlaces(
  tx: Queryable,
  { siteNo, dimension, valueId }: Pick<TimedSubject, 'siteNo' | 'dimension'> & { valueId: number },
  places: { rollup: CoveringRollup; place: TimesPlace }[],
): Promise<TimeCount[]> {
  if (places.length === 0) return []
  const stored = await selectTimes(tx, {
    siteNo,
    dimension,
    ...arraysOf(places.map(({ rollup }) => ({ ...rollup.day, siteNo }))),
    valueIds: places.map(() => valueId),
    offsets: places.map(({ place }) => place.offset),
    sizes: places.map(({ place }) => place.size),
  })
  const timesOf = new Map(
    stored.map(({ start, times }) => [start, decodeTimes(Buffer.from(times, 'base64'))]),
  )
  const unit = TIME_UNITS[dimension]
  return places.flatMap(({ rollup: { start, end, day } }) =>
    Array.from(timesOf.get(day.start)!, ([time, count]) => ({ at: day.start + time * unit, count })).filter(
      ({ at }) => at >= start && at < end,
    ),
  )
}

/** The same from the rows of a slice. */
function countSliceTimes(tx: Queryable, { siteNo, dimension, value }: TimedSubject, slice: RowSlice) {
  if (dimension === 'title') return listTitleTimes(tx, { ...sessionBoundsOf(siteNo, slice), title: value })
  const { hitsFrom, hitsTo } = slice
  return listErrorTimes(tx, { siteNo, errorId: value, ...datesOf({ start: hitsFrom, end: hitsTo }) })
}
