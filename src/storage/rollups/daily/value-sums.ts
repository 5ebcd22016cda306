import { COLUMNS, type Column, type Counts, noCounts, type RolledUpColumns } from './codec.ts'
import type { ValueCounts } from './count-rows.ts'

/** Counts of values, as columns. */
export interface ValueColumns {
  /** Ascending. */
  valueIds: Uint32Array
  columns: RolledUpColumns['columns']
  /** Largest visitor count of one summed part: a lower bound of the distinct visitors. */
  least: Float64Array | undefined
}

/**
 * Counts by value, summed over days and what columns have counted of the rest. Uses columns instead of objects: a month has one entry for each value
 * of each day. `visitors` counts a visitor once for each part that has the visitor.
 */
export class ValueSums {
  /** The value id, or the value itself when it is not in the value dictionary. */
  readonly keys: (number | string)[]
  /** Keys that came from the summed parts, ascending; they are the first of `keys`. */
  readonly #valueIds: Uint32Array
  /** Index of each remaining key. */
  readonly #others = new Map<number | string, number>()
  #columns: Record<Column, Float64Array>
  #least: Float64Array
  readonly #visitors = new Map<number, Uint32Array[]>()

  constructor(parts: readonly ValueColumns[]) {
    this.#valueIds = parts.map(({ valueIds }) => valueIds).reduce(union, new Uint32Array())
    this.keys = Array.from(this.#valueIds)
    this.#columns = columnsOf(this.keys.length)
    this.#least = new Float64Array(this.keys.length)
    for (const part of parts) this.#addPart(part)
  }

  #addPart({ valueIds, columns, least }: ValueColumns): void {
    const indexes = new Uint32Array(valueIds.length)
    let index = 0
    for (let entry = 0; entry < valueIds.length; entry++) {
      while (this.#valueIds[index]! < valueIds[entry]!) index++
      indexes[entry] = index
    }
    for (const column of COLUMNS) {
      const values = columns[column]
      if (!values) continue
      if (column === 'lastAt') raise(this.#columns.lastAt, indexes, values)
      else {
        const sums = this.#columns[column]
        for (let entry = 0; entry < values.length; entry++) sums[indexes[entry]!]! += values[entry]!
      }
    }
    if (least) raise(this.#least, indexes, least)
  }

  /** Adds what columns have counted of a value; may be called several times for one. */
  addRest(key: number | string, { counts, visitors }: ValueCounts): void {
    const index = this.indexOf(key)
    for (const column of COLUMNS) {
      const sums = this.#columns[column]
      if (column === 'lastAt') sums[index] = Math.max(sums[index]!, counts.lastAt)
      else sums[index]! += column === 'visitors' ? visitors.length : counts[column]
    }
    this.#least[index] = Math.max(this.#least[index]!, visitors.length)
    if (visitors.length === 0) return
    const others = this.#visitors.get(index)
    if (others) others.push(visitors)
    else this.#visitors.set(index, [visitors])
  }

  /** Returns the index of a value's sums; adds a new value with zeros. */
  indexOf(key: number | string): number {
    const first = typeof key === 'number' ? find(this.#valueIds, key) : -1
    if (first !== -1) return first
    const known = this.#others.get(key)
    if (known !== undefined) return known
    const index = this.keys.length
    this.keys.push(key)
    this.#others.set(key, index)
    if (index >= this.#least.length) this.#grow()
    return index
  }

  get(index: number, column: Column): number {
    return this.#columns[column][index]!
  }

  set(index: number, column: Column, value: number): void {
    this.#columns[column][index] = value
  }

  /** Returns a lower bound of the distinct visitors; `visitors` is an upper bound at first. */
  leastVisitors(index: number): number {
    return this.#least[index]!
  }

  countsAt(index: number): Counts {
    const counts = noCounts()
    for (const column of COLUMNS) counts[column] = this.#columns[column][index]!
    return counts
  }

  /** Returns true when all visitors come from one part, so none can be counted twice. */
  hasExactVisitors(index: number): boolean {
    return this.#least[index] === this.get(index, 'visitors')
  }

  /** Returns the visitors of a value in each added part of the rest. */
  restVisitors(index: number): readonly Uint32Array[] {
    return this.#visitors.get(index) ?? []
  }

  /** Sums of the parts. */
  get summed(): ValueColumns {
    const used = COLUMNS.filter(column => this.#columns[column].some(value => value !== 0))
    return {
      valueIds: this.#valueIds,
      columns: Object.fromEntries(used.map(column => [column, this.#columns[column]])),
      least: this.#least,
    }
  }

  #grow(): void {
    const size = 2 * this.#least.length + 64
    const before = this.#columns
    const least = this.#least
    this.#columns = columnsOf(size)
    for (const column of COLUMNS) this.#columns[column].set(before[column])
    this.#least = new Float64Array(size)
    this.#least.set(least)
  }
}

const columnsOf = (size: number) =>
  Object.fromEntries(COLUMNS.map(column => [column, new Float64Array(size)])) as Record<Column, Float64Array>

function raise(sums: Float64Array, indexes: Uint32Array, values: Float64Array): void {
  for (let entry = 0; entry < values.length; entry++) {
    const index = indexes[entry]!
    if (values[entry]! > sums[index]!) sums[index] = values[entry]!
  }
}

/** Returns the union of two ascending lists, ascending. */
function union(one: Uint32Array, other: Uint32Array): Uint32Array {
  if (one.length === 0) return other
  const both = new Uint32Array(one.length + other.length)
  let size = 0
  let [a, b] = [0, 0]
  while (a < one.length && b < other.length) {
    const x = one[a]!
    const y = other[b]!
    both[size++] = Math.min(x, y)
    if (x <= y) a++
    if (y <= x) b++
  }
  while (a < one.length) both[size++] = one[a++]!
  while (b < other.length) both[size++] = other[b++]!
  return both.slice(0, size)
}

/** Returns the index of a number in an ascending list, −1 when it is absent. */
export function find(list: Uint32Array | Float64Array, number: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! < number) low = middle + 1
    else high = middle
  }
  return list[low] === number ? low : -1
}
