import { type Db, inSnapshot, type Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { ERRORS } from '../../../platform/dimensions/rolled-up.ts'
import { arraysOf, datesOf, type ErrorEnds, type Tasks, type Window } from '../protocol.ts'
import { decodeColumns } from './codec.ts'
import { coverWindows } from './coverage.ts'
import { valueIdsOf } from './value-dictionary.ts'

/** Days whose counts are read at once. */
const DAYS = 90
/** All times of hits. */
const EVER: Window = { start: 0, end: Date.UTC(9999, 0, 1) }

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long. Days without errors are absent.
const selectErrorCounts = query<
  { siteNo: number; dimension: string; starts: Date[]; ends: Date[] },
  { start: number; counts: string | null }
>(
  'select-error-counts',
  `
  select
    (extract(epoch from daily_value_rollups.starts_at) * 1000)::bigint as start,
    encode(counts, 'base64') as counts
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
 * Finds when errors occurred first and last, ever: from daily rollups, which stay when details are dropped, and from the rows that
 * rollups lack.
 */
export function findErrorEnds(
  db: Db,
  { siteNo, ids }: Tasks['findErrorEnds']['input'],
): Promise<Tasks['findErrorEnds']['output']> {
  return inSnapshot(db, async tx => {
    const ends = new Map<string, ErrorEnds>()
    const add = ({ id, first, last }: RowEnds) => {
      const known = ends.get(id)
      ends.set(id, {
        first: Math.min(first, known?.first ?? first),
        last: Math.max(last, known?.last ?? last),
      })
    }
    const { ranges, gaps } = await coverWindows(tx, siteNo, [EVER])
    const rollups = ranges[0]!
    const byValue = await valueIdsOf(tx, siteNo, ids, { addsMissing: false })
    const idOf = new Map([...byValue].map(([id, valueId]) => [valueId, id]))
    for (const days of [rollups, rollups.toReversed()]) {
      for (const found of await findFirstDays(tx, siteNo, days, idOf)) add(found)
    }
    for (const gap of gaps) {
      const isRecent = gap.start === rollups.at(-1)?.end
      const find = isRecent ? findEndsInRows : scanEndsInRows
      for (const found of await find(tx, { siteNo, ids, ...datesOf(gap) })) add(found)
    }
    return ends
  })
}

/** Returns when each error occurred first and last on the first of the days, in their order, on which it occurred. */
async function findFirstDays(
  tx: Queryable,
  siteNo: number,
  days: readonly Window[],
  idOf: ReadonlyMap<number, string>,
): Promise<RowEnds[]> {
  const missing = new Map(idOf)
  const found: RowEnds[] = []
  for (let at = 0; at < days.length && missing.size > 0; at += DAYS) {
    const some = days.slice(at, at + DAYS)
    const rows = await selectErrorCounts(tx, {
      siteNo,
      dimension: ERRORS,
      ...arraysOf(some.map(day => ({ ...day, siteNo }))),
    })
    const countsOf = new Map(rows.map(({ start, counts }) => [start, counts]))
    for (const { start } of some) {
      const counts = countsOf.get(start)
      if (!counts) continue
      const { valueIds, columns } = decodeColumns(Buffer.from(counts, 'base64'))
      for (const [index, valueId] of valueIds.entries()) {
        const id = missing.get(valueId)
        // A session of the day may have met the error on a later one.
        if (id === undefined || !columns.hits?.[index]) continue
        // Rollups of a version before this have no times, only the day.
        found.push({
          id,
          first: columns.firstAt?.[index] ?? start,
          last: columns.firstAt ? columns.lastAt![index]! : start,
        })
        missing.delete(valueId)
      }
    }
  }
  return found
}
