import { fill } from '../../storage/columns/fill.ts'

/** Hits of a funnel in columns of the same length: those that meet steps; in the strict order every pageview and event. */
export interface Moments {
  /** Visitor or session. */
  units: Float64Array
  /** Unix milliseconds. */
  times: Float64Array
  /** Steps that each meets, one bit a step. */
  steps: Uint8Array
  /** Whether each interrupts no chain. */
  isSilent: Uint8Array
  /** Visitors of the units; empty where the units themselves are counted. */
  owners: Uint32Array
  /** Index in `texts`; 0 where there is no dimension. */
  values: Uint32Array
  /** Distinct values in their order. */
  texts: string[]
}

/** Most steps of a funnel: a byte has a bit for each. */
const MASKS = 256

/**
 * Order of moments of the same millisecond by the steps that they meet: lists of step numbers, compared one by one; a list that ends
 * comes first; none comes last.
 */
const RANK_OF_STEPS = (() => {
  const listOf = (steps: number) => [0, 1, 2, 3, 4, 5, 6, 7].filter(bit => steps & (1 << bit)).join('')
  const ranked = Array.from({ length: MASKS - 1 }, (_, index) => index + 1)
  ranked.sort((a, b) => (listOf(a) < listOf(b) ? -1 : 1))
  const ranks = new Uint8Array(MASKS)
  for (const [rank, steps] of ranked.entries()) ranks[steps] = rank
  ranks[0] = MASKS - 1
  return ranks
})()

/** Returns the indices of the moments by owner, then unit, then the order in a unit. Linear, except within a unit. */
export function orderMoments(moments: Moments): Uint32Array {
  let order = fill(new Uint32Array(moments.units.length), index => index)
  order = sortStably(order, moments.units)
  if (moments.owners.length > 0) order = sortStably(order, moments.owners)
  for (let first = 0; first < order.length; ) {
    const end = endOfUnit(moments, order, first)
    sortUnit(moments, order, first, end)
    first = end
  }
  return order
}

/** Returns where the moments of the unit at `first` end. */
export function endOfUnit({ units }: Moments, order: Uint32Array, first: number): number {
  const unit = units[order[first]!]
  let end = first + 1
  while (end < order.length && units[order[end]!] === unit) end++
  return end
}

/** Numbers that lie in a span of at most this many for each key are counted directly. */
const SPARSEST = 16
/** So that few keys with a wide span are, too. */
const SPAN_OF_FEW = 1_000_000

/** Sorts by counting: numbers of visitors and sessions of a range lie close together. */
function sortStably(
  order: Uint32Array<ArrayBuffer>,
  keys: Float64Array | Uint32Array,
): Uint32Array<ArrayBuffer> {
  let [least, largest] = [Number.POSITIVE_INFINITY, 0]
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!
    if (key < least) least = key
    if (key > largest) largest = key
  }
  const span = largest - least + 1
  if (!(span > 0)) return order
  if (span <= SPARSEST * keys.length + SPAN_OF_FEW) {
    return sortByCount(order, span, index => keys[index]! - least)
  }
  let sorted = order
  for (let scale = 1; scale <= span; scale *= DIGIT) {
    sorted = sortByCount(sorted, DIGIT, index => Math.floor((keys[index]! - least) / scale) % DIGIT)
  }
  return sorted
}

/** Numbers that are too far apart are sorted by 16 bits at a time. */
const DIGIT = 65_536

/** @param numberOf whole number of an index, from 0 and below `span` */
function sortByCount(
  order: Uint32Array<ArrayBuffer>,
  span: number,
  numberOf: (index: number) => number,
): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(span + 1)
  for (let place = 0; place < order.length; place++) starts[numberOf(order[place]!) + 1]!++
  for (let number = 0; number < span; number++) starts[number + 1]! += starts[number]!
  const sorted = new Uint32Array(order.length)
  for (let place = 0; place < order.length; place++) {
    const index = order[place]!
    sorted[starts[numberOf(index)]!++] = index
  }
  return sorted
}

/** Blocks have their hits nearly in the order of time, so that most units are sorted already. */
function sortUnit(moments: Moments, order: Uint32Array, first: number, end: number): void {
  for (let place = first + 1; place < end; place++) {
    if (compareMoments(moments, order[place - 1]!, order[place]!) <= 0) continue
    order.subarray(first, end).sort((a, b) => compareMoments(moments, a, b))
    return
  }
}

/** Compares two moments of a unit. */
export function compareMoments({ times, steps, values }: Moments, a: number, b: number): number {
  return (
    times[a]! - times[b]! || RANK_OF_STEPS[steps[a]!]! - RANK_OF_STEPS[steps[b]!]! || values[a]! - values[b]!
  )
}
