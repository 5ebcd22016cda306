import { VisitorSet } from '../visitor-set.ts'
import type { EncodedVisitors } from './codec.ts'
import { DistinctCounter } from './distinct.ts'

/** Distinct visitors: a few as numbers, in no order; more as `VisitorSet.serialize` gives them. */
export type Union = { size: number; bytes: Buffer } | { size: number; numbers: Uint32Array }

const counter = new DistinctCounter()

/** So many are kept as numbers: a bitmap of as few costs more to make than it saves. */
const FEW = 4_096

const SCRATCH = 2 ** 18
const scratch = new Uint32Array(SCRATCH)

/** The visitors of a value on several days. */
export function uniteEncoded(days: readonly EncodedVisitors[]): Union {
  const most = days.reduce((sum, { count }) => sum + count, 0)
  const numbers = most > SCRATCH ? new Uint32Array(most) : scratch
  const ends = [0]
  for (const day of days) ends.push(counter.addEncoded(day, numbers, ends.at(-1)!))
  const size = counter.take()
  if (size <= FEW) return { size, numbers: numbers.slice(0, size) }
  const set = VisitorSet.from()
  // Day by day, since ascending numbers are added faster.
  for (let day = 1; day < ends.length; day++) set.add(numbers.subarray(ends[day - 1], ends[day]))
  return finish(set)
}

/** @param sets what `VisitorSet.serialize` gave, at least one */
export function uniteSets(sets: readonly Buffer[]): Union {
  const set = VisitorSet.from(sets[0])
  for (const bytes of sets.slice(1)) set.addSerialized(bytes)
  return finish(set)
}

function finish(set: VisitorSet): Union {
  const union = { size: set.size, bytes: set.serialize() }
  set.free()
  return union
}

/** About what it weighs. */
export const bytesOf = (union: Union): number =>
  200 + ('bytes' in union ? union.bytes.length : union.numbers.byteLength)

/** How many distinct visitors there are in unions and lists together. */
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
    for (const list of others) counter.add(list)
    return counter.take()
  }
  const set = VisitorSet.from(sets[0])
  for (const bytes of sets.slice(1)) set.addSerialized(bytes)
  for (const list of others) set.add(list)
  const { size } = set
  set.free()
  return size
}
