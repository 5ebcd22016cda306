import type { Moments } from './moments.ts'

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
  let order = Uint32Array.from(moments.units, (_, index) => index)
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

const DIGIT = 65_536

/** Radix sort by 16 bits at a time: keys are whole numbers from 0. */
function sortStably(
  order: Uint32Array<ArrayBuffer>,
  keys: Float64Array | Uint32Array,
): Uint32Array<ArrayBuffer> {
  let largest = 0
  for (const key of keys) if (key > largest) largest = key
  let [from, to] = [order, new Uint32Array(order.length)]
  for (let scale = 1; scale <= largest; scale *= DIGIT) {
    const starts = new Uint32Array(DIGIT + 1)
    const digitOf = (index: number) => Math.floor(keys[index]! / scale) % DIGIT
    for (const index of from) starts[digitOf(index) + 1]!++
    for (let digit = 0; digit < DIGIT; digit++) starts[digit + 1]! += starts[digit]!
    for (const index of from) to[starts[digitOf(index)]!++] = index
    ;[from, to] = [to, from]
  }
  return from
}

/** Rows arrive nearly in the order of time, so that most units are sorted already. */
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
