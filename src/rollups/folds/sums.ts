import { COLUMNS, type Column, type Counts, type FoldedColumns } from './codec.ts'
import type { Tallied } from './portion.ts'

/** Numbers that are found by an array: 1 MiB of it. */
const NEAR = 2 ** 18

/**
 * What values count, added up over days and portions. Columns rather than objects: a month has as many entries as it has
 * values on each of its days. `visitors` counts those of each part as if they were others.
 */
export class Sums {
  /** A value's number, or the value itself where no fold has it. */
  readonly keys: (number | string)[] = []
  readonly #indexes = new Map<number | string, number>()
  /** The same of numbers near the first, one more than each: a site's texts were mostly numbered one after another. */
  readonly #near = new Uint32Array(NEAR)
  #nearFrom = -1
  #columns = columnsOf(1_024)
  /** The most visitors of a part: there are no fewer. */
  #least = new Float64Array(1_024)
  readonly #tallied = new Map<number, Uint32Array[]>()

  /** @param least the most visitors of a part of what is added; all of them unless given */
  addColumns({ textNos, columns }: Omit<FoldedColumns, 'offsets'>, least = columns.visitors): void {
    const indexes = new Uint32Array(textNos.length)
    for (let entry = 0; entry < textNos.length; entry++) indexes[entry] = this.indexOf(textNos[entry]!)
    for (const column of COLUMNS) {
      const values = columns[column]
      const sums = this.#columns[column]
      if (!values) continue
      if (column === 'lastAt') {
        for (let entry = 0; entry < values.length; entry++) {
          const index = indexes[entry]!
          if (values[entry]! > sums[index]!) sums[index] = values[entry]!
        }
      } else {
        for (let entry = 0; entry < values.length; entry++) sums[indexes[entry]!]! += values[entry]!
      }
    }
    if (!least) return
    for (let entry = 0; entry < least.length; entry++) {
      const index = indexes[entry]!
      if (least[entry]! > this.#least[index]!) this.#least[index] = least[entry]!
    }
  }

  addTallied(key: number | string, { counts, visitors }: Tallied): void {
    const index = this.indexOf(key)
    for (const column of COLUMNS) {
      const sums = this.#columns[column]
      if (column === 'lastAt') sums[index] = Math.max(sums[index]!, counts.lastAt)
      else sums[index]! += column === 'visitors' ? visitors.length : counts[column]
    }
    this.#least[index] = Math.max(this.#least[index]!, visitors.length)
    if (visitors.length === 0) return
    const others = this.#tallied.get(index)
    if (others) others.push(visitors)
    else this.#tallied.set(index, [visitors])
  }

  /** Where a value's sums stand; zeros for one that is new. */
  indexOf(key: number | string): number {
    if (typeof key === 'string') return this.#indexes.get(key) ?? this.#add(key)
    if (this.#nearFrom === -1) this.#nearFrom = Math.max(0, key - NEAR / 2)
    const slot = key - this.#nearFrom
    if (slot < 0 || slot >= NEAR) return this.#indexes.get(key) ?? this.#add(key)
    const known = this.#near[slot]!
    if (known > 0) return known - 1
    const index = this.#append(key)
    this.#near[slot] = index + 1
    return index
  }

  #add(key: number | string): number {
    const index = this.#append(key)
    this.#indexes.set(key, index)
    return index
  }

  #append(key: number | string): number {
    const index = this.keys.length
    this.keys.push(key)
    if (index >= this.#least.length) this.#grow()
    return index
  }

  get(index: number, column: Column): number {
    return this.#columns[column][index]!
  }

  set(index: number, column: Column, value: number): void {
    this.#columns[column][index] = value
  }

  countsAt(index: number): Counts {
    return Object.fromEntries(COLUMNS.map(column => [column, this.get(index, column)])) as Counts
  }

  /** Whether nobody can have been counted twice: all visitors are of one part. */
  hasExactVisitors(index: number): boolean {
    return this.#least[index] === this.get(index, 'visitors')
  }

  leastVisitors(index: number): number {
    return this.#least[index]!
  }

  /** The visitors of a value in each portion that was added. */
  talliedVisitors(index: number): readonly Uint32Array[] {
    return this.#tallied.get(index) ?? []
  }

  #grow(): void {
    const before = this.#columns
    const least = this.#least
    this.#columns = columnsOf(least.length * 2)
    for (const column of COLUMNS) this.#columns[column].set(before[column])
    this.#least = new Float64Array(least.length * 2)
    this.#least.set(least)
  }
}

const columnsOf = (size: number) =>
  Object.fromEntries(COLUMNS.map(column => [column, new Float64Array(size)])) as Record<Column, Float64Array>
