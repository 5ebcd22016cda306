import { distinctOf } from '../visitor-set.ts'
import { type FoldedValue, noCounts } from './codec.ts'
import { PROPERTIES } from './dimensions.ts'
import { addCounts, type Tallied, type Tally } from './portion.ts'

export interface FoldLimits {
  /** A dimension that has more values on a day is not folded: there is nothing to add up then, and reading hits is as fast. */
  values: number
  /** Types and names of events that are folded by their properties; on a day with more none is. */
  events: number
}
export const DEFAULT_LIMITS: FoldLimits = { values: 50_000, events: 500 }

/** What a fold holds of a dimension; null where it has too many values, or is not sound. */
export type Values = FoldedValue[] | null

/**
 * What the dimensions that were counted hold, with what they held before.
 * @param numbers of all values in `tally`, but those of dimensions that have too many
 */
export function* mergeTally(
  before: Map<string, Values>,
  tally: Tally,
  numbers: Map<string, number>,
  limits: FoldLimits,
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
  old: FoldedValue[],
  added: Map<string, Tallied>,
  numbers: Map<string, number>,
  limits: FoldLimits,
): Values {
  const merged = new Map(old.map(value => [value.textNo, value]))
  if (added.size > limits.values) return null
  for (const [value, { counts, visitors }] of added) {
    const textNo = numbers.get(value)!
    const into = merged.get(textNo) ?? { textNo, counts: noCounts(), visitors: new Uint32Array() }
    addCounts(into.counts, counts)
    into.visitors = union(into.visitors, visitors)
    into.counts.visitors = into.visitors.length
    merged.set(textNo, into)
  }
  return merged.size > limits.values ? null : [...merged.values()]
}

function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return distinctOf(both)
}
