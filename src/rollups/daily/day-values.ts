import type { Db, Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { PROPERTIES } from '../../dimensions/rolled-up.ts'
import { decodeValues, encodeValues, noCounts, type RolledUpValue } from './codec.ts'
import { addCounts, type CountsByValue } from './row-slice.ts'
import { valueIdsOf } from './value-dictionary.ts'
import { concat, distinctOf } from './visitor-set.ts'

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

const findDailyValueRollups = query<DayKey & { dimensions: string[] }, StoredValues>(
  'find-daily-value-rollups',
  `
  select dimension, counts, visitors
  from daily_value_rollups
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz
    and dimension = any(:dimensions::text[])`,
)

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

const decode = ({ counts, visitors }: StoredValues): Values => counts && decodeValues(counts, visitors!)

/** Returns the values of dimensions in the rollup of a day, and those of the properties when there are too many. */
export async function readValues(db: Db, key: DayKey, dimensions: string[]): Promise<Map<string, Values>> {
  const rows = await findDailyValueRollups(db, { ...key, dimensions: [...dimensions, PROPERTIES] })
  return new Map(rows.map(row => [row.dimension, decode(row)]))
}

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
 * Merges new counts by value into the values that a rollup held before.
 * @param added new counts, by dimension
 * @param valueIds ids of all values in `added`, except in dimensions that have too many values
 */
export function* mergeCounts(
  before: Map<string, Values>,
  added: Map<string, CountsByValue>,
  valueIds: Map<string, number>,
  limits: RollupLimits,
): Generator<[dimension: string, values: Values]> {
  const events = [...added.keys()].filter(isOfProperties)
  const hasTooMany = before.has(PROPERTIES) || events.length > limits.events
  if (hasTooMany && !before.has(PROPERTIES)) yield [PROPERTIES, null]
  for (const [dimension, byValue] of added) {
    if (hasTooMany && isOfProperties(dimension)) continue
    const old = before.get(dimension)
    if (old === null) continue
    yield [dimension, mergeDimension(old ?? [], byValue, valueIds, limits)]
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

function mergeDimension(
  old: NonNullable<Values>,
  added: CountsByValue,
  valueIds: Map<string, number>,
  limits: RollupLimits,
): Values {
  const merged = new Map<number, RolledUpValue>(old.map(value => [value.valueId, value]))
  if (added.size > limits.values) return null
  for (const [value, { counts, visitors, firstAt }] of added) {
    const valueId = valueIds.get(value)!
    const into = merged.get(valueId) ?? { valueId, counts: noCounts(), visitors: new Uint32Array() }
    addCounts(into.counts, counts)
    into.visitors = distinctOf(concat([into.visitors, visitors]))
    into.counts.visitors = into.visitors.length
    if (firstAt !== undefined) into.firstAt = Math.min(into.firstAt ?? firstAt, firstAt)
    merged.set(valueId, into)
  }
  return merged.size > limits.values ? null : [...merged.values()]
}
