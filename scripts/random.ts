import { v4 as uuid } from 'uuid'

/** Random numbers that depend only on the seed, so that two runs generate the same data. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number from 0 (inclusive) to `count` (exclusive). */
  below(count: number): number
  chance(share: number): boolean
  pick<Value>(values: readonly Value[]): Value
  /** A whole number between two others, both included. */
  between(least: number, most: number): number
  /** One of the values, each in proportion to its weight. */
  weigh<Value>(values: readonly Weighted<Value>[]): Value
  /** A UUID of version 4. */
  uuid(): string
}

export type Weighted<Value> = readonly [value: Value, weight: number]

/** Returns the names of an object as values, weighted by what the object has under them. */
export const weighted = <Name extends string>(weights: Partial<Record<Name, number>>) =>
  Object.entries<number | undefined>(weights) as unknown as Weighted<Name>[]

/**
 * Creates a random number generator (mulberry32).
 * @param seed any whole number
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    next,
    below,
    chance: share => next() < share,
    pick: values => values[below(values.length)]!,
    between: (least, most) => least + below(most - least + 1),
    weigh: values => weigh(values, next()),
    uuid() {
      const bytes = Buffer.alloc(16)
      for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32BE(below(2 ** 32), at)
      return uuid({ random: bytes })
    },
  }
}

/** @param draw 0 (inclusive) to 1 (exclusive) */
function weigh<Value>(values: readonly Weighted<Value>[], draw: number): Value {
  let left = draw * values.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [value, weight] of values) {
    left -= weight
    if (left < 0) return value
  }
  return values.at(-1)![0]
}

/**
 * Draws ranks from 0 with a long-tail distribution, as for visits of web pages: rank r in proportion to 1/(r + 1).
 * @returns a function that draws one rank
 */
export function longTail(count: number, random: Random): () => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1)
    sums[rank] = sum
  }
  return () => {
    const wanted = random.next() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
