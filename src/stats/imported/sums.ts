import { query } from '../../platform/db/query.ts'
import type { Services } from '../../platform/services.ts'
import { dayOf, formatDay, type LocalDay } from '../../platform/time/local-time.ts'
import type { Filters } from '../filters/stats-query.ts'
import type { TotalsNumber } from './families.ts'
import { type Part, type ValueFilter, valueFilters } from './plan.ts'

/** Sums of imported totals. A ratio has the sums of the days for which both of its numbers are known. */
export interface TotalsSums {
  visitors: number
  sessions: number
  pageviews: number
  events: number
  bounces: number
  /** Sessions of the days that have bounces. */
  bounceSessions: number
  durationMs: number
  /** Sessions of the days that have durations. */
  timedSessions: number
  /** Pageviews and sessions of the days that have both. */
  viewsOfSessions: number
  viewedSessions: number
}

export const noSums = (): TotalsSums => ({
  visitors: 0,
  sessions: 0,
  pageviews: 0,
  events: 0,
  bounces: 0,
  bounceSessions: 0,
  durationMs: 0,
  timedSessions: 0,
  viewsOfSessions: 0,
  viewedSessions: 0,
})

type Row = Record<Exclude<TotalsNumber, 'duration_seconds'> | 'seconds', number>

interface Params {
  siteNo: number
  familyNo: number
  from: string
  to: string
  filters: string
}

const SUMS = `sum(visitors)::bigint as visitors,
    sum(sessions)::bigint as sessions,
    sum(pageviews)::bigint as pageviews,
    sum(bounces)::bigint as bounces,
    sum(duration_seconds)::bigint as seconds,
    sum(events)::bigint as events`

/** Rows of a family; `filters` is a JSON array of `ValueFilter`. */
const ROWS = `from totals_days
  where site_no = :siteNo::int and family_no = :familyNo::bigint
    and day >= :from::date and day <= :to::date
    and (:filters::text = '[]' or (
      select bool_and((vals[place] = any(array(select jsonb_array_elements_text(filter -> 'vals')))) <> negative)
      from jsonb_array_elements(:filters::text::jsonb) as filter,
        jsonb_to_record(filter) as part (place int, negative boolean)
    ))`

const sumTotalsByDay = query<Params, Row & { day: string }>(
  'sum-totals-by-day',
  `select day::text as day, ${SUMS}
  ${ROWS}
  group by 1`,
)

const sumTotalsByValue = query<Params & { place: number }, Row & { value: string }>(
  'sum-totals-by-value',
  `select vals[:place::int] as value, ${SUMS}
  ${ROWS}
  group by 1`,
)

/** Rows of one statement on the embedded database, which can do nothing else meanwhile; as many take it 100 ms. */
const ROWS_AT_ONCE = 20_000

type ReadServices = Pick<Services, 'reads' | 'readsInParts'>

/** Returns the sums of each day that has any. */
export async function sumByDay(
  services: ReadServices,
  siteNo: number,
  parts: readonly Part[],
  filters: Filters,
): Promise<Map<LocalDay, TotalsSums>> {
  const sums = new Map<LocalDay, TotalsSums>()
  await readParts(services, siteNo, parts, filters, async (params, { family }) => {
    for (const { day, ...row } of await sumTotalsByDay(services.reads, params)) {
      addRow(sums, dayOf(day), row, family.numbers)
    }
  })
  return sums
}

/** Returns the sums of each value of a dimension that all families of the parts have. */
export async function sumByValue(
  services: ReadServices,
  siteNo: number,
  parts: readonly Part[],
  filters: Filters,
  dimension: string,
): Promise<Map<string, TotalsSums>> {
  const sums = new Map<string, TotalsSums>()
  await readParts(services, siteNo, parts, filters, async (params, { family }) => {
    const place = family.dimensions.indexOf(dimension) + 1
    for (const { value, ...row } of await sumTotalsByValue(services.reads, { ...params, place })) {
      addRow(sums, value, row, family.numbers)
    }
  })
  return sums
}

/** Runs a statement for each part; for pieces of it where statements are kept short. */
async function readParts(
  { readsInParts }: ReadServices,
  siteNo: number,
  parts: readonly Part[],
  filters: Filters,
  read: (params: Params, part: Part) => Promise<void>,
): Promise<void> {
  for (const part of parts) {
    const { family, from, to } = part
    const given: ValueFilter[] = valueFilters(family, filters)
    const days = readsInParts ? daysAtOnce(part) : to - from + 1
    for (let first = from; first <= to; first += days) {
      const last = Math.min(to, first + days - 1)
      await read(
        {
          siteNo,
          familyNo: family.familyNo,
          from: formatDay(first),
          to: formatDay(last),
          filters: JSON.stringify(given),
        },
        part,
      )
    }
  }
}

/** Days of a family that have about `ROWS_AT_ONCE` rows. */
const daysAtOnce = ({ family: { rows, days } }: Part) =>
  Math.ceil(days / Math.max(1, Math.ceil(rows / ROWS_AT_ONCE)))

function addRow<Key>(sums: Map<Key, TotalsSums>, key: Key, row: Row, numbers: readonly TotalsNumber[]): void {
  let into = sums.get(key)
  if (!into) {
    into = noSums()
    sums.set(key, into)
  }
  const has = (name: TotalsNumber) => numbers.includes(name)
  into.visitors += row.visitors
  into.sessions += row.sessions
  into.pageviews += row.pageviews
  into.events += row.events
  if (has('bounces')) {
    into.bounces += row.bounces
    into.bounceSessions += row.sessions
  }
  if (has('duration_seconds')) {
    into.durationMs += 1000 * row.seconds
    into.timedSessions += row.sessions
  }
  if (has('pageviews') && has('sessions')) {
    into.viewsOfSessions += row.pageviews
    into.viewedSessions += row.sessions
  }
}

/** Adds sums to others. */
export function addSums(into: TotalsSums, sums: TotalsSums): void {
  for (const name of Object.keys(into) as (keyof TotalsSums)[]) into[name] += sums[name]
}
