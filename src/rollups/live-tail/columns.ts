/** Typed arrays that hold the columns of a list of rows. */
type Column = Float64Array | Uint32Array | Uint8Array | Int16Array | Int32Array

type Kind = 'f64' | 'u32' | 'i32' | 'i16' | 'u8'
const CONSTRUCTORS = {
  f64: Float64Array,
  u32: Uint32Array,
  i32: Int32Array,
  i16: Int16Array,
  u8: Uint8Array,
}
type ColumnOf<Name extends Kind> = InstanceType<(typeof CONSTRUCTORS)[Name]>

const FIRST_SIZE = 1_024
/** How much longer the arrays become when they are full: twice as long would leave half of the memory unused. */
const GROWTH = 1.5

/** Rows of numbers, column by column: a million rows of ten numbers take 60 MB, as objects 200 and more. */
export class Rows<Shape extends Record<string, Kind>> {
  /** The arrays are replaced by longer ones when rows are added, so do not keep an array across `add`. */
  columns: { [Name in keyof Shape]: ColumnOf<Shape[Name]> }
  length = 0
  readonly #shape: Shape
  #size = FIRST_SIZE

  constructor(shape: Shape) {
    this.#shape = shape
    this.columns = this.#allocate(FIRST_SIZE)
  }

  #allocate(size: number) {
    const entries = Object.entries(this.#shape).map(([name, kind]) => [name, new CONSTRUCTORS[kind](size)])
    return Object.fromEntries(entries) as typeof this.columns
  }

  /** Adds a row of zeros; returns its index. */
  add(): number {
    if (this.length === this.#size) this.#resize(Math.ceil(this.#size * GROWTH))
    return this.length++
  }

  addRow(values: Record<keyof Shape, number>): void {
    const row = this.add()
    const columns: Record<string, Column> = this.columns
    for (const [name, value] of Object.entries<number>(values)) columns[name]![row] = value
  }

  #resize(size: number): void {
    // One after the other, so that only one column takes its memory twice.
    const columns: Record<string, Column> = this.columns
    for (const [name, kind] of Object.entries(this.#shape)) {
      const column = new CONSTRUCTORS[kind](size)
      column.set(columns[name]!.subarray(0, this.length))
      columns[name] = column
    }
    this.#size = size
  }

  /** Moves the rows for which `isKept` returns true to the front, in order, and drops the others. */
  keep(isKept: (row: number) => boolean): void {
    const columns: Column[] = Object.values(this.columns)
    let kept = 0
    for (let row = 0; row < this.length; row++) {
      if (!isKept(row)) continue
      if (kept !== row) for (const column of columns) column[kept] = column[row]!
      kept++
    }
    for (const column of columns) column.fill(0, kept, this.length)
    this.length = kept
    if (this.#size > FIRST_SIZE && kept * 2 < this.#size)
      this.#resize(Math.max(FIRST_SIZE, Math.ceil(kept * GROWTH)))
  }

  get bytes(): number {
    return Object.values<Column>(this.columns).reduce((sum, column) => sum + column.byteLength, 0)
  }
}
