import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { ERRORS } from '../../dimensions/rolled-up.ts'
import { arraysOf, datesOf, type ErrorEnds, type Window } from '../protocol.ts'
import { decodeColumns } from './codec.ts'
import { findFirstEvent, MAX_GAPS_MS, readCoverage } from './read-coverage.ts'
import { type DaysOf, selectTimes } from './read-times.ts'
import { endsOfTimes, findAllTimes, type TimesPlace } from './times-codec.ts'
import { valueIdsOf } from './value-dictionary.ts'

/** Days whose indexes are read at once. */
const DAYS = 90
/** Upper bound of all times. */
const LATEST = Date.UTC(9999, 0, 1)

// Days that were rolled up before there were times have no index; those that still have their rows were rolled up again since.
const selectIndexes = query<DaysOf, { start: number; index: string | null; counts: string | null }>(
  'select-error-indexes',
  `
  select
    (extract(epoch from daily_value_rollups.starts_at) * 1000)::bigint as start,
    encode(times_index, 'base64') as index,
    case when times_index is null then encode(counts, 'base64') end as counts
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  join daily_value_rollups on
    daily_value_rollups.site_no = :siteNo::int and daily_value_rollups.dimension = :dimension
    and daily_value_rollups.starts_at = day.starts_at and daily_value_rollups.ends_at = day.ends_at`,
)

type RowsOf = { siteNo: number; ids: string[]; start: Date; end: Date }
type RowEnds = { id: string; first: number; last: number }

// Two steps down an index for each error, however often it occurred.
const findEndsInRows = query<RowsOf, RowEnds>(
  'find-error-ends',
  `
  select
    wanted_id as id,
    (extract(epoch from first.at) * 1000)::bigint as first,
    (extract(epoch from last.at) * 1000)::bigint as last
  from unnest(:ids::uuid[]) as wanted_id
  cross join lateral (
    select at from events
    where site_no = :siteNo::int and type = 'error' and error_id = wanted_id
      and at >= :start::timestamptz and at < :end::timestamptz
    order by at
    limit 1
  ) as first
  cross join lateral (
    select at from events
    where site_no = :siteNo::int and type = 'error' and error_id = wanted_id
      and at >= :start::timestamptz and at < :end::timestamptz
    order by at desc
    limit 1
  ) as last`,
)

// The columnstore has no index of errors: of old and of long spans, all errors are read once.
const scanEndsInRows = query<RowsOf, RowEnds>(
  'scan-error-ends',
  `
  select
    error_id as id,
    (extract(epoch from min(at)) * 1000)::bigint as first,
    (extract(epoch from max(at)) * 1000)::bigint as last
  from events
  where site_no = :siteNo::int and type = 'error' and error_id = any(:ids::uuid[])
    and at >= :start::timestamptz and at < :end::timestamptz
  group by error_id`,
)

/**
 * Returns when errors occurred first and last, ever: from the times in rollups, which stay when details are dropped, and from
 * the rows that rollups lack. Call it in a snapshot.
 */
export async function readErrorEnds(
  tx: Queryable,
  siteNo: number,
  ids: readonly string[],
): Promise<Map<string, ErrorEnds>> {
  const ends = new Map<string, ErrorEnds>()
  const [site] = await findFirstEvent(tx, { siteNo })
  if (!site || site.at === null) return ends
  const add = (id: string, first: number, last: number) => {
    const known = ends.get(id)
    ends.set(id, { first: Math.min(first, known?.first ?? first), last: Math.max(last, known?.last ?? last) })
  }
  const window = { start: site.at, end: LATEST }
  const coverage = await readCoverage(tx, siteNo, window, { cutsDays: true, readsAllRows: true })
  const { rollups, slices } = coverage!
  const days = rollups.map(({ day }) => day)
  const byValue = await valueIdsOf(tx, siteNo, [...ids], { addsMissing: false })
  const idOf = new Map([...byValue].map(([id, valueId]) => [valueId, id]))
  const wanted = new Set(idOf.keys())
  const fromStart = await findFirstDays(tx, siteNo, days, wanted)
  const fromEnd = await findFirstDays(tx, siteNo, days.toReversed(), wanted)
  const times = await timesOf(tx, siteNo, [...fromStart.found, ...fromEnd.found])
  for (const { valueId, first, last } of times) add(idOf.get(valueId)!, first, last)
  const inRows = slices.map(({ hitsFrom, hitsTo }) => ({ start: hitsFrom, end: hitsTo }))
  for (const span of [...inRows, ...fromStart.unlisted, ...fromEnd.unlisted]) {
    if (span.start >= span.end) continue
    const isRecent = span.end - span.start <= MAX_GAPS_MS && span.start >= (days.at(-1)?.start ?? 0)
    const find = isRecent ? findEndsInRows : scanEndsInRows
    for (const { id, first, last } of await find(tx, { siteNo, ids: [...ids], ...datesOf(span) })) {
      add(id, first, last)
    }
  }
  return ends
}

interface FoundDay {
  valueId: number
  day: Window
  /** Undefined in a day whose times are not known. */
  place: TimesPlace | undefined
}

/** Returns the first of the days, in their order, that has each value; `unlisted` before it have too many values for a rollup. */
async function findFirstDays(
  tx: Queryable,
  siteNo: number,
  days: readonly Window[],
  wanted: ReadonlySet<number>,
): Promise<{ found: FoundDay[]; unlisted: Window[] }> {
  const missing = new Set(wanted)
  const found: FoundDay[] = []
  const unlisted: Window[] = []
  for (let at = 0; at < days.length && missing.size > 0; at += DAYS) {
    const some = days.slice(at, at + DAYS)
    const rows = await selectIndexes(tx, {
      siteNo,
      dimension: ERRORS,
      ...arraysOf(some.map(day => ({ ...day, siteNo }))),
    })
    const stored = new Map(rows.map(row => [row.start, row]))
    for (const day of some) {
      const row = stored.get(day.start)
      if (row && !row.index && !row.counts) unlisted.push(day)
      for (const [valueId, place] of row ? placesOf(row, missing) : []) {
        found.push({ valueId, day, place })
        missing.delete(valueId)
      }
    }
  }
  return { found, unlisted }
}

function placesOf(
  { index, counts }: { index: string | null; counts: string | null },
  wanted: ReadonlySet<number>,
): Iterable<[valueId: number, place: TimesPlace | undefined]> {
  if (index) return findAllTimes(Buffer.from(index, 'base64'), wanted)
  const valueIds = counts ? [...decodeColumns(Buffer.from(counts, 'base64')).valueIds] : []
  return valueIds.filter(valueId => wanted.has(valueId)).map(valueId => [valueId, undefined])
}

/** Returns the first and the last time of each value on its day; of days whose times are not known their start. */
async function timesOf(tx: Queryable, siteNo: number, found: readonly FoundDay[]) {
  const placed = found.flatMap(({ valueId, day, place }) => (place ? [{ valueId, day, ...place }] : []))
  const unplaced = found.filter(({ place }) => !place)
  const stored = await selectTimes(tx, {
    siteNo,
    dimension: ERRORS,
    ...arraysOf(placed.map(({ day }) => ({ ...day, siteNo }))),
    valueIds: placed.map(({ valueId }) => valueId),
    offsets: placed.map(({ offset }) => offset),
    sizes: placed.map(({ size }) => size),
  })
  return [
    ...unplaced.map(({ valueId, day: { start } }) => ({ valueId, first: start, last: start })),
    ...stored.map(({ valueId, start, times }) => {
      const { first, last } = endsOfTimes(Buffer.from(times, 'base64'))
      return { valueId, first: start + first, last: start + last }
    }),
  ]
}
