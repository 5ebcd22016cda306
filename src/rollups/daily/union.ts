import { VisitorSet } from '../visitor-set.ts'
import type { EncodedVisitors } from './codec.ts'
import { DistinctCounter } from './distinct.ts'

/** Distinct visitors: up to `FEW` as unsorted numbers, or a set serialized by `VisitorSet.serialize`. */
export type Union = { size: number; bytes: Buffer } | { size: number; numbers: Uint32Array }

const counter = new DistinctCounter()

/** Up to this many visitors are kept as numbers: a bitmap of so few costs more to build than it saves. */
const FEW = 4_096

const SCRATCH = 2 ** 18
const scratch = new Uint32Array(SCRATCH)

/** Returns the distinct visitors of a value on several days. */
export function uniteEncoded(days: readonly EncodedVisitors[]): Union {
  const most = days.reduce((sum, { count }) => sum + count, 0)
  const numbers = most > SCRATCH ? new Uint32Array(most) : scratch
  const ends = [0]
  const size = countDistinct(() => {
    for (const day of days) ends.push(counter.addEncoded(day, numbers, ends.at(-1)!))
  })
  if (size <= FEW) return { size, numbers: numbers.slice(0, size) }
  return withSet(VisitorSet.from(), set => {
    // Add day by day: the numbers of a day are ascending, and ascending numbers are added faster.
    for (let day = 1; day < ends.length; day++) set.add(numbers.subarray(ends[day - 1], ends[day]))
    return unionOf(set)
  })
}

/** Returns the count of distinct numbers that `add` adds. Always calls `take` in `finally`: the counter is shared. */
function countDistinct(add: () => void): number {
  let size = 0
  try {
    add()
  } finally {
    size = counter.take()
  }
  return size
}

/** Calls `use` with a set and frees the set afterwards. */
function withSet<Result>(set: VisitorSet, use: (set: VisitorSet) => Result): Result {
  try {
    return use(set)
  } finally {
    set.free()
  }
}

/** @param sets one or more results of `VisitorSet.serialize` */
export function uniteSets(sets: readonly Buffer[]): Union {
  return withSet(VisitorSet.from(sets[0]), set => {
    for (const bytes of sets.slice(1)) set.addSerialized(bytes)
    return unionOf(set)
  })
}

function unionOf(set: VisitorSet): Union {
  const serialized = set.serialize()
  // Copy to separate memory: otherwise a few bytes would keep the whole pool slab alive.
  const bytes = Buffer.allocUnsafeSlow(serialized.length)
  serialized.copy(bytes)
  return { size: set.size, bytes }
}

/** Returns the approximate memory use in bytes. */
export const bytesOf = (union: Union): number =>
  200 + ('bytes' in union ? union.bytes.length : union.numbers.byteLength)

/** Returns the number of distinct visitors in all unions and lists together. */
export function countTogether(unions: readonly Union[], lists: readonly Uint32Array[] = []): number {
  const some = unions.filter(({ size }) => size > 0)
  const others = lists.filter(({ length }) => length > 0)
  if (some.length === 1 && others.length === 0) return some[0]!.size
  const sets: Buffer[] = []
  for (const union of some) {
    if ('bytes' in union) sets.push(union.bytes)
    else others.push(union.numbers)
  }
  if (sets.length === 0) {
    return countDistinct(() => {
      for (const list of others) counter.add(list)
    })
  }
  return withSet(VisitorSet.from(sets[0]), set => {
    for (const bytes of sets.slice(1)) set.addSerialized(bytes)
    for (const list of others) set.add(list)
    return set.size
  })
}
