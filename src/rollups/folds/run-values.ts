import { decodeColumns, type EncodedVisitors, type FoldedColumns } from './codec.ts'
import { type Counted, find, Sums } from './sums.ts'
import { bytesOf, type Union } from './union.ts'

/** What is stored of a dimension for a day; `visitors` only when they were asked for. */
export interface StoredDay {
  folded: FoldedColumns
  visitors: Buffer | null
}

export const decodeDay = (counts: Buffer, visitors: Buffer | null): StoredDay => ({
  folded: decodeColumns(counts),
  visitors,
})

/**
 * What the values of a dimension count in a run of days. It stays what it is, but for what it learns of visitors: those of a
 * value are first the days' added up, and how many distinct ones there are once it has been told.
 */
export class RunValues implements Counted {
  /** Ascending. */
  readonly textNos: Uint32Array
  readonly columns: FoldedColumns['columns']
  /** The most visitors of a day: there are no fewer. */
  readonly least: Float64Array
  /** Texts of its values, as far as they have been read. */
  readonly texts = new Map<number, string>()
  readonly #unions = new Map<number, Union>()
  #learntBytes = 0

  constructor(days: readonly StoredDay[]) {
    const parts = days.map(({ folded: { textNos, columns } }) => ({
      textNos,
      columns,
      least: columns.visitors,
    }))
    const { textNos, columns, least } = parts.length === 1 ? parts[0]! : new Sums(parts).counted
    this.textNos = textNos
    this.columns = columns
    this.least = least ?? new Float64Array(textNos.length)
  }

  /** Where a value stands, −1 for nowhere. */
  find(textNo: number): number {
    return find(this.textNos, textNo)
  }

  /** The visitors of an entry, once it was told. */
  unionAt(entry: number): Union | undefined {
    return this.#unions.get(entry)
  }

  learnVisitors(entry: number, union: Union): void {
    this.#unions.set(entry, union)
    this.columns.visitors![entry] = union.size
    this.least[entry] = union.size
    this.#learntBytes += bytesOf(union)
  }

  learnText(textNo: number, text: string): void {
    if (this.texts.has(textNo)) return
    this.texts.set(textNo, text)
    this.#learntBytes += 2 * text.length + 100
  }

  /** About what it weighs by now, its key apart. */
  get bytes(): number {
    const columns = Object.keys(this.columns).length
    return 2_000 + 150 * columns + this.textNos.length * (4 + 8 * (columns + 1)) + this.#learntBytes
  }
}

/**
 * Visitors of some values on each of the days that have them.
 * @param days read with visitors
 * @param textNos ascending
 */
export function visitorsOn(days: readonly StoredDay[], textNos: readonly number[]): EncodedVisitors[][] {
  const lists: EncodedVisitors[][] = textNos.map(() => [])
  for (const { folded, visitors } of days) {
    let entry = 0
    for (const [index, textNo] of textNos.entries()) {
      while (folded.textNos[entry]! < textNo) entry++
      if (folded.textNos[entry] !== textNo) continue
      const count = folded.columns.visitors?.[entry] ?? 0
      if (count > 0) lists[index]!.push({ visitors: visitors!, offset: folded.offsets[entry]!, count })
    }
  }
  return lists
}
