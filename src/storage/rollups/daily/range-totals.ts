import type { LRUCache } from 'lru-cache'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { arraysOf, type DailyRollup, type DayRange, type TrafficTotals } from '../protocol.ts'
import { keyOf } from './coverage.ts'
import { bytesOf, type DistinctVisitors, uniteSets } from './visitor-set.ts'

/** Totals that add up over days. */
type Additive = Omit<TrafficTotals, 'visitors'>
const ADDITIVE = ['pageviews', 'customEvents', 'sessions', 'bounces', 'durationMs'] as const

/** Adds up the named fields. */
export const sumOf = <Field extends string>(
  parts: readonly Record<Field, number>[],
  fields: readonly Field[],
): Record<Field, number> =>
  Object.fromEntries(
    fields.map(field => [field, parts.reduce((sum, part) => sum + part[field], 0)]),
  ) as Record<Field, number>

/** Totals of a day range. */
export interface RangeTotals extends Additive {
  visitors: DistinctVisitors
}
/** Totals by `keyOf`. */
export type TotalsCache = LRUCache<string, RangeTotals>

interface StoredTotals extends Additive {
  siteNo: number
  start: number
  end: number
  /** Serialized visitor set, base64. */
  visitors: string
}

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long.
const selectTotals = query<
  { siteNos: readonly number[]; starts: readonly Date[]; ends: readonly Date[] },
  StoredTotals
>(
  'select-daily-rollup-totals',
  `
  select
    day.site_no as "siteNo",
    (extract(epoch from day.starts_at) * 1000)::bigint as start,
    (extract(epoch from day.ends_at) * 1000)::bigint as "end",
    pageviews,
    custom_events as "customEvents",
    sessions,
    bounces,
    duration_ms::float8 as "durationMs",
    encode(visitors, 'base64') as visitors
  from unnest(:siteNos::int[], :starts::timestamptz[], :ends::timestamptz[]) as day (site_no, starts_at, ends_at)
  join daily_rollups using (site_no, starts_at, ends_at)`,
)

const PART = 'totals'

/**
 * Returns the totals of day ranges, from the cache or from the stored days. Call it in the transaction that has read the
 * versions of the days: otherwise the content of one version could be cached under another.
 */
export async function readTotals(
  tx: Queryable,
  { totals: known }: { totals: TotalsCache },
  ranges: readonly DayRange[],
): Promise<Map<DayRange, RangeTotals>> {
  const totals = new Map<DayRange, RangeTotals>()
  const missing: [string, DayRange][] = []
  for (const range of ranges) {
    const key = keyOf(range, PART)
    const found = known.get(key)
    if (found) totals.set(range, found)
    else missing.push([key, range])
  }
  if (missing.length === 0) return totals
  const stored = await readDays(
    tx,
    missing.flatMap(([, range]) => range),
  )
  for (const [key, range] of missing) {
    const days = range.map(day => stored.get(nameOf(day))!)
    const visitors = uniteSets(days.map(day => Buffer.from(day.visitors, 'base64')))
    const added = { ...sumOf(days, ADDITIVE), visitors }
    totals.set(range, added)
    known.set(key, added, { size: bytesOf(added.visitors) + 400 + key.length })
  }
  return totals
}

async function readDays(tx: Queryable, days: DailyRollup[]): Promise<Map<string, StoredTotals>> {
  const wanted = [...new Map(days.map(day => [nameOf(day), day])).values()]
  const rows = await selectTotals(tx, arraysOf(wanted))
  return new Map(rows.map(row => [nameOf(row), row]))
}

const nameOf = ({ siteNo, start, end }: Pick<DailyRollup, 'siteNo' | 'start' | 'end'>) =>
  `${siteNo}/${start}/${end}`
