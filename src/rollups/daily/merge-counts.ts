import { distinctOf } from '../visitor-set.ts'
import { noCounts, type RolledUpValue } from './codec.ts'
import { PROPERTIES } from './dimensions.ts'
import { addCounts, type Tallied, type Tally } from './row-slice.ts'

export interface RollupLimits {
  /** Maximum of values a day. A dimension with more is not rolled up: summing saves nothing then, reading hits is as fast. */
  values: number
  /** Maximum of event types and names a day whose properties are rolled up. On a day with more, no properties are rolled up. */
  events: number
}
export const DEFAULT_LIMITS: RollupLimits = { values: 50_000, events: 500 }

/** Values of one dimension in a rollup; null when there are too many, or when the stored counts are missing. */
export type Values = RolledUpValue[] | null

/**
 * Merges new counts by value into the values that a rollup held before.
 * @param tally new counts by value, by dimension
 * @param numbers value ids of all values in `tally`, except in dimensions that have too many values
 */
export function* mergeTally(
  before: Map<string, Values>,
  tally: Tally,
  numbers: Map<string, number>,
  limits: RollupLimits,
): Generator<[dimension: string, values: Values]> {
  const events = [...tally.keys()].filter(isOfProperties)
  const hasTooMany = before.has(PROPERTIES) || events.length > limits.events
  if (hasTooMany && !before.has(PROPERTIES)) yield [PROPERTIES, null]
  for (const [dimension, values] of tally) {
    if (hasTooMany && isOfProperties(dimension)) continue
    const old = before.get(dimension)
    if (old === null) continue
    yield [dimension, merge(old ?? [], values, numbers, limits)]
  }
}

const isOfProperties = (dimension: string) => dimension.startsWith(`${PROPERTIES}/`)

function merge(
  old: RolledUpValue[],
  added: Map<string, Tallied>,
  numbers: Map<string, number>,
  limits: RollupLimits,
): Values {
  const merged = new Map(old.map(value => [value.valueId, value]))
  if (added.size > limits.values) return null
  for (const [value, { counts, visitors }] of added) {
    const valueId = numbers.get(value)!
    const into = merged.get(valueId) ?? { valueId, counts: noCounts(), visitors: new Uint32Array() }
    addCounts(into.counts, counts)
    into.visitors = union(into.visitors, visitors)
    into.counts.visitors = into.visitors.length
    merged.set(valueId, into)
  }
  return merged.size > limits.values ? null : [...merged.values()]
}

function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return distinctOf(both)
}
