import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { PROPERTIES } from '../../../platform/dimensions/rolled-up.ts'
import { encodeValues, type RolledUpValue } from './codec.ts'
import type { CountsByValue } from './count-rows.ts'
import { valueIdsOf } from './value-dictionary.ts'

/** Day of a site in statements. */
export interface DayKey {
  siteNo: number
  start: Date
  end: Date
}

/** Values of a dimension on a day, encoded; all null when there were too many. */
interface StoredValues {
  dimension: string
  counts: Buffer | null
  visitors: Buffer | null
}

const upsertDailyValueRollup = query<DayKey & StoredValues>(
  'upsert-daily-value-rollup',
  `
  insert into daily_value_rollups (site_no, dimension, starts_at, ends_at, counts, visitors)
  values (
    :siteNo::int, :dimension::text, :start::timestamptz, :end::timestamptz, :counts::bytea, :visitors::bytea
  )
  on conflict (site_no, dimension, starts_at, ends_at) do update set
    counts = excluded.counts,
    visitors = excluded.visitors`,
)

/** Deletes the values of all dimensions on a day. */
export const deleteDailyValueRollups = query<DayKey>(
  'delete-daily-value-rollups',
  `
  delete from daily_value_rollups
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz`,
)

export interface RollupLimits {
  /** Maximum of values a day. A dimension with more is not rolled up: summing saves nothing then, reading hits is as fast. */
  values: number
  /** Maximum of event types and names a day whose properties are rolled up. On a day with more, no properties are rolled up. */
  events: number
}
export const DEFAULT_LIMITS: RollupLimits = { values: 50_000, events: 500 }

/** Values of one dimension in a rollup; null when there are too many. */
export type Values = RolledUpValue[] | null

const encode = (dimension: string, values: Values): StoredValues =>
  values ? { dimension, ...encodeValues(values) } : { dimension, counts: null, visitors: null }

/** Returns the ids of all added values, except in dimensions that have too many values; gives an id to new ones. */
export function addValueIds(
  tx: Transaction,
  siteNo: number,
  added: Map<string, CountsByValue>,
  limits: RollupLimits,
): Promise<Map<string, number>> {
  const values = new Set<string>()
  for (const byValue of added.values()) {
    if (byValue.size <= limits.values) for (const value of byValue.keys()) values.add(value)
  }
  return valueIdsOf(tx, siteNo, [...values], { addsMissing: true })
}

/**
 * Returns what a rollup holds of the values of each dimension.
 * @param valueIds ids of all values in `added`, except in dimensions that have too many values
 */
export function* valuesToStore(
  added: Map<string, CountsByValue>,
  valueIds: Map<string, number>,
  limits: RollupLimits,
): Generator<[dimension: string, values: Values]> {
  const hasTooMany = [...added.keys()].filter(isOfProperties).length > limits.events
  if (hasTooMany) yield [PROPERTIES, null]
  for (const [dimension, byValue] of added) {
    if (!hasTooMany || !isOfProperties(dimension)) yield [dimension, valuesOf(byValue, valueIds, limits)]
  }
}

/** Writes the values of a dimension on a day, in place of those that are there. */
export const writeValues = (
  tx: Transaction,
  key: DayKey,
  dimension: string,
  values: Values,
): Promise<unknown> => upsertDailyValueRollup(tx, { ...key, ...encode(dimension, values) })

const isOfProperties = (dimension: string) => dimension.startsWith(`${PROPERTIES}/`)

function valuesOf(byValue: CountsByValue, valueIds: Map<string, number>, limits: RollupLimits): Values {
  if (byValue.size > limits.values) return null
  return [...byValue].map(([value, { counts, visitors, firstAt }]) => ({
    valueId: valueIds.get(value)!,
    counts: { ...counts, visitors: visitors.length },
    visitors: visitors.toSorted(),
    ...(firstAt !== undefined && { firstAt }),
  }))
}
