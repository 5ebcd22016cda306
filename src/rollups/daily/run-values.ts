import { decodeColumns, type EncodedVisitors, type RolledUpColumns } from './codec.ts'
import { type Counted, find, Sums } from './sums.ts'
import { bytesOf, type Union } from './union.ts'

/** Stored counts of one dimension for one day; `visitors` is null unless they were requested. */
export interface StoredDay {
  rolledUp: RolledUpColumns
  visitors: Buffer | null
}

export const decodeDay = (counts: Buffer, visitors: Buffer | null): StoredDay => ({
  rolledUp: decodeColumns(counts),
  visitors,
})

/**
 * Counts by value of a dimension in a day range. All counts are final except `visitors`: at first it is the sum over the
 * days, an upper bound; `learnVisitors` replaces it with the number of distinct visitors.
 */
export class RunValues implements Counted {
  /** Ascending. */
  readonly valueIds: Uint32Array
  readonly columns: RolledUpColumns['columns']
  /** Largest visitor count of one day: a lower bound of the distinct visitors. */
  readonly least: Float64Array
  /** Texts by value id, as far as they have been read. */
  readonly texts = new Map<number, string>()
  readonly #unions = new Map<number, Union>()
  #learntBytes = 0

  constructor(days: readonly StoredDay[]) {
    const parts = days.map(({ rolledUp: { valueIds, columns } }) => ({
      valueIds,
      columns,
      least: columns.visitors,
    }))
    const { valueIds, columns, least } = parts.length === 1 ? parts[0]! : new Sums(parts).counted
    this.valueIds = valueIds
    this.columns = columns
    this.least = least ?? new Float64Array(valueIds.length)
  }

  /** Returns the index of a value id, −1 when it is absent. */
  find(valueId: number): number {
    return find(this.valueIds, valueId)
  }

  /** Returns the distinct visitors of an entry; undefined before `learnVisitors`. */
  unionAt(entry: number): Union | undefined {
    return this.#unions.get(entry)
  }

  learnVisitors(entry: number, union: Union): void {
    this.#unions.set(entry, union)
    this.columns.visitors![entry] = union.size
    this.least[entry] = union.size
    this.#learntBytes += bytesOf(union)
  }

  learnText(valueId: number, text: string): void {
    if (this.texts.has(valueId)) return
    this.texts.set(valueId, text)
    this.#learntBytes += 2 * text.length + 100
  }

  /** Approximate memory use now, in bytes, without the cache key. */
  get bytes(): number {
    const columns = Object.keys(this.columns).length
    return 2_000 + 150 * columns + this.valueIds.length * (4 + 8 * (columns + 1)) + this.#learntBytes
  }
}

/**
 * Returns, for each value, the encoded visitors of every day that has the value.
 * @param days must have been read with visitors
 * @param valueIds ascending
 */
export function visitorsOn(days: readonly StoredDay[], valueIds: readonly number[]): EncodedVisitors[][] {
  const lists: EncodedVisitors[][] = valueIds.map(() => [])
  for (const { rolledUp, visitors } of days) {
    let entry = 0
    for (const [index, valueId] of valueIds.entries()) {
      while (rolledUp.valueIds[entry]! < valueId) entry++
      if (rolledUp.valueIds[entry] !== valueId) continue
      const count = rolledUp.columns.visitors?.[entry] ?? 0
      if (count > 0) lists[index]!.push({ visitors: visitors!, offset: rolledUp.offsets[entry]!, count })
    }
  }
  return lists
}
