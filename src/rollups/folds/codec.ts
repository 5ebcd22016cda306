/** What a fold counts of each value; everything adds up over days but `visitors`, and of `lastAt` the latest counts. */
export const COLUMNS = [
  'hits',
  'pageviews',
  /** Distinct ones of that day; their numbers stand beside. */
  'visitors',
  'sessions',
  /** Sessions with exactly one pageview. */
  'bounces',
  'engagedMs',
  /** Sessions with any engagement. */
  'engagedSessions',
  /** Time of the latest hit, Unix milliseconds; of titles alone. */
  'lastAt',
] as const
export type Column = (typeof COLUMNS)[number]

export type Counts = Record<Column, number>

export const noCounts = (): Counts => ({
  hits: 0,
  pageviews: 0,
  visitors: 0,
  sessions: 0,
  bounces: 0,
  engagedMs: 0,
  engagedSessions: 0,
  lastAt: 0,
})

/** A value of a dimension in a fold. */
export interface FoldedValue {
  /** Its number in `value_texts`. */
  textNo: number
  counts: Counts
  /** Distinct visitor_no, ascending. */
  visitors: Uint32Array
}

/** A fold's columns, entry by entry. */
export interface FoldedColumns {
  /** Ascending. */
  textNos: Uint32Array
  /** A column of zeros is left out. */
  columns: Partial<Record<Column, Float64Array>>
  /** Where the visitors of each entry begin in the bytes beside. */
  offsets: Uint32Array
}

/** The visitors of one entry among the bytes of all. */
export interface EncodedVisitors {
  visitors: Uint8Array
  offset: number
  count: number
}

/** Bytes that grow; numbers are LEB128 varints; beyond 2^53, those that a double is. */
class Writer {
  #bytes = Buffer.allocUnsafe(4_096)
  length = 0

  /** @throws Error for what is no such number: of what would be written nothing after it could be read */
  write(value: number): void {
    if (!(Number.isInteger(value) && value >= 0)) throw new Error(`A fold cannot hold the number ${value}`)
    // A sum of milliseconds may take the ten bytes of 2^64.
    if (this.length + 10 > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2)
    }
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.length++] = rest
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.length))
  }
}

class Reader {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  read(): number {
    let byte = this.#bytes[this.#at++]!
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let scale = 0x80
    do {
      byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      scale *= 0x80
    } while (byte >= 0x80)
    return value
  }
}

/**
 * Values as two runs of bytes: counts column by column (a column of zeros takes one byte), and visitors, of which a reader
 * takes only those it needs.
 */
export function encodeValues(values: FoldedValue[]): { counts: Buffer; visitors: Buffer } {
  const ordered = values.toSorted((a, b) => a.textNo - b.textNo)
  const visitors = new Writer()
  const sizes = ordered.map(value => {
    const start = visitors.length
    let before = 0
    for (const visitorNo of value.visitors) {
      visitors.write(visitorNo - before)
      before = visitorNo
    }
    return visitors.length - start
  })
  const counts = new Writer()
  counts.write(ordered.length)
  let before = 0
  for (const { textNo } of ordered) {
    counts.write(textNo - before)
    before = textNo
  }
  for (const size of sizes) counts.write(size)
  for (const column of COLUMNS) {
    const isUsed = ordered.some(value => value.counts[column] !== 0)
    counts.write(isUsed ? 1 : 0)
    if (isUsed) for (const value of ordered) counts.write(value.counts[column])
  }
  return { counts: counts.finish(), visitors: visitors.finish() }
}

export function decodeColumns(bytes: Uint8Array): FoldedColumns {
  const reader = new Reader(bytes)
  const size = reader.read()
  const textNos = new Uint32Array(size)
  let textNo = 0
  for (let index = 0; index < size; index++) {
    textNo += reader.read()
    textNos[index] = textNo
  }
  const offsets = new Uint32Array(size)
  let offset = 0
  for (let index = 0; index < size; index++) {
    offsets[index] = offset
    offset += reader.read()
  }
  const columns: FoldedColumns['columns'] = {}
  for (const column of COLUMNS) {
    if (reader.read() === 0) continue
    const values = new Float64Array(size)
    for (let index = 0; index < size; index++) values[index] = reader.read()
    columns[column] = values
  }
  return { textNos, columns, offsets }
}

/**
 * Whether the numbers of texts are different ones. They are not in a fold that was made when two texts could have one number:
 * what it counts of which of them nobody can tell.
 */
export const isSound = (textNos: Uint32Array): boolean =>
  textNos.every((textNo, index) => index === 0 || textNo > textNos[index - 1]!)

function decodeVisitors({ visitors: bytes, offset, count }: EncodedVisitors): Uint32Array {
  const reader = new Reader(bytes, offset)
  const visitors = new Uint32Array(count)
  let visitorNo = 0
  for (let index = 0; index < count; index++) {
    visitorNo += reader.read()
    visitors[index] = visitorNo
  }
  return visitors
}

/**
 * Everything that was encoded.
 * @returns null when it is not sound
 */
export function decodeValues(counts: Uint8Array, visitors: Uint8Array): FoldedValue[] | null {
  const { textNos, columns, offsets } = decodeColumns(counts)
  if (!isSound(textNos)) return null
  return Array.from(textNos, (textNo, index) => ({
    textNo,
    counts: Object.fromEntries(COLUMNS.map(column => [column, columns[column]?.[index] ?? 0])) as Counts,
    visitors: decodeVisitors({ visitors, offset: offsets[index]!, count: columns.visitors?.[index] ?? 0 }),
  }))
}
