import { RoaringBitmap32 } from 'roaring-wasm'
import { decodeVisitors, type EncodedVisitors } from './codec.ts'

/** Format of array_send(int4[]): dimensions, flags, element type, length, lower bound; then length and value of each element. */
const HEADER_BYTES = 20
const ELEMENT_BYTES = 8

/** Reads the numbers in the bytes of `array_send(int4[])`; returns none for null or an empty array. */
export function readIntArray(bytes: Buffer | null): Uint32Array {
  if (!bytes || bytes.length < HEADER_BYTES) return new Uint32Array()
  const count = bytes.readInt32BE(12)
  const numbers = new Uint32Array(count)
  for (let index = 0; index < count; index++) {
    numbers[index] = bytes.readUInt32BE(HEADER_BYTES + index * ELEMENT_BYTES + 4)
  }
  return numbers
}

/** From this many numbers on, building a second bitmap and merging it is faster than adding them one by one. */
const FEW_TO_ADD = 64

/**
 * Calls `use` with the union of serialized sets and of lists of numbers. The bitmap lies outside the JavaScript heap and is
 * freed afterwards.
 * @param lists in any order; ascending numbers take less time
 */
function withUnion<Result>(
  sets: readonly Uint8Array[],
  lists: readonly Uint32Array[],
  use: (union: RoaringBitmap32) => Result,
): Result {
  const [first, ...rest] = sets
  const union = first ? RoaringBitmap32.deserialize('portable', first) : new RoaringBitmap32()
  const mergeAndFree = (other: RoaringBitmap32) => {
    try {
      union.orInPlace(other)
    } finally {
      other.dispose()
    }
  }
  try {
    for (const bytes of rest) mergeAndFree(RoaringBitmap32.deserialize('portable', bytes))
    for (const list of lists) {
      if (list.length < FEW_TO_ADD) union.addMany(list)
      // Merge a second bitmap: adding many numbers one by one would move the existing data many times.
      else mergeAndFree(new RoaringBitmap32(list))
    }
    return use(union)
  } finally {
    union.dispose()
  }
}

function serialize(set: RoaringBitmap32): Buffer {
  set.runOptimize()
  const bytes = set.serialize('portable')
  // Copy to separate memory: otherwise a few bytes would keep the whole pool slab alive.
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

/** Returns a serialized set of the numbers of lists, in any order. */
export const serializeVisitors = (lists: readonly Uint32Array[]): Buffer => withUnion([], lists, serialize)

/** Returns the numbers of a serialized set, ascending. */
export function numbersIn(set: Uint8Array): Uint32Array {
  const bitmap = RoaringBitmap32.deserialize('portable', set)
  try {
    return bitmap.toUint32Array()
  } finally {
    bitmap.dispose()
  }
}

/** Returns the distinct numbers, ascending. Sorts its argument in place. */
export function distinctOf(numbers: Uint32Array): Uint32Array {
  numbers.sort()
  let size = 0
  for (const number of numbers) if (size === 0 || numbers[size - 1] !== number) numbers[size++] = number
  return numbers.slice(0, size)
}

/** One bit for each visitor number that was met; all are 0 between two calls. */
let met = new Uint32Array(1_024)
/** Larger numbers are sorted instead: their bits would take more than 8 MiB. */
const MOST_MET = 2 ** 26

/**
 * Moves the distinct numbers of a list to its front, in any order. With sorting instead, the first breakdown of 400 values in 30 days
 * took 6.1 ms instead of 5.1.
 * @returns how many there are
 */
function moveDistinct(numbers: Uint32Array): number {
  let largest = 0
  for (const number of numbers) if (number > largest) largest = number
  if (largest >= MOST_MET) {
    const distinct = distinctOf(numbers)
    numbers.set(distinct)
    return distinct.length
  }
  if (largest >>> 5 >= met.length) met = new Uint32Array(Math.max((largest >>> 5) + 1, 2 * met.length))
  let size = 0
  for (const number of numbers) {
    const bit = 1 << (number & 31)
    if ((met[number >>> 5]! & bit) !== 0) continue
    met[number >>> 5]! |= bit
    numbers[size++] = number
  }
  for (let index = 0; index < size; index++) met[numbers[index]! >>> 5] = 0
  return size
}

/** Returns the numbers of all lists in one list, with repetitions. */
function concat(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(sizeOf(lists))
  let size = 0
  for (const list of lists) {
    all.set(list, size)
    size += list.length
  }
  return all
}

const sizeOf = (lists: readonly Uint32Array[]) => lists.reduce((sum, { length }) => sum + length, 0)

/** Distinct visitors: a list of numbers in any order, or a serialized set. */
export type DistinctVisitors = { size: number; bytes: Buffer } | { size: number; numbers: Uint32Array }

/** Up to this many visitors are kept as a list: for 30 days of 130 visitors this takes 0.1 ms, a bitmap 0.8 ms. */
const FEW = 4_096

/** Adding a number in any order to a bitmap takes about so many times as long as marking one that comes from a bitmap. */
const MARKED = 8
/** More numbers are not put into one list: it would take more than 4 MiB. */
const MOST_MARKED = 2 ** 20

const SCRATCH = 2 ** 18
const scratch = new Uint32Array(SCRATCH)

/** Returns the distinct visitors of a value on several days. */
export function uniteDays(days: readonly EncodedVisitors[]): DistinctVisitors {
  const most = days.reduce((sum, { count }) => sum + count, 0)
  const numbers = most > SCRATCH ? new Uint32Array(most) : scratch
  const ends = [0]
  for (const day of days) ends.push(decodeVisitors(day, numbers, ends.at(-1)!))
  if (most <= FEW) {
    const size = moveDistinct(numbers.subarray(0, most))
    return { size, numbers: numbers.slice(0, size) }
  }
  // Day by day: the numbers of a day are ascending, and ascending numbers are added faster.
  const lists = days.map((_, day) => numbers.subarray(ends[day], ends[day + 1]))
  return withUnion([], lists, measured)
}

/** @param sets serialized */
export const uniteSets = (sets: readonly Buffer[]): DistinctVisitors => withUnion(sets, [], measured)

/** Returns the number of distinct visitors in everything together. */
export function countTogether(
  visitors: readonly DistinctVisitors[],
  lists: readonly Uint32Array[] = [],
): number {
  const some = visitors.filter(({ size }) => size > 0)
  const others = lists.filter(({ length }) => length > 0)
  if (some.length === 1 && others.length === 0) return some[0]!.size
  const sets: Buffer[] = []
  let inSets = 0
  for (const one of some) {
    if ('numbers' in one) others.push(one.numbers)
    else {
      sets.push(one.bytes)
      inSets += one.size
    }
  }
  const inLists = sizeOf(others)
  if (inSets <= MARKED * inLists && inSets + inLists <= MOST_MARKED)
    return moveDistinct(concat([...others, ...sets.map(numbersIn)]))
  return withUnion(sets, others, union => union.size)
}

const measured = (set: RoaringBitmap32): DistinctVisitors => ({ size: set.size, bytes: serialize(set) })

/** Returns the approximate memory use in bytes. */
export const bytesOf = (visitors: DistinctVisitors): number =>
  200 + ('bytes' in visitors ? visitors.bytes.length : visitors.numbers.byteLength)
