import { Reader, Writer } from './varints.ts'

/**
 * What is stored of each value in a rollup. New columns are added at the end: rollups of days whose details are gone keep those that they
 * were made with.
 */
const STORED_COLUMNS = [
  'hits',
  'pageviews',
  /** Distinct visitors of that day; their visitor_no are stored separately. */
  'visitors',
  'sessions',
  /** Sessions with exactly one pageview. */
  'bounces',
  /** Engaged time of the sessions on the value; only for paths and titles. */
  'engagedMs',
  /** Sessions with any engagement on the value; only for paths and titles. */
  'engagedSessions',
  /** Time of the latest hit, Unix milliseconds; only for titles and errors. */
  'lastAt',
  /** Sum over the sessions of last hit − first hit. */
  'durationMs',
  /** Sum over `scrolledSessions` of the deepest scroll of the session on the value, percent; only for paths and titles. */
  'scrollSum',
  /** Sessions with a scroll depth on the value; only for paths and titles. */
  'scrolledSessions',
  /** Sessions whose duration is unknown: those of rollups that were made without the columns from `durationMs` on. */
  'untimedSessions',
  /** Hits of type `event`; not for properties, nor for dimensions of the session's end. */
  'customEvents',
  /** Time of the first hit, Unix milliseconds; only for errors. */
  'firstAt',
] as const
type StoredColumn = (typeof STORED_COLUMNS)[number]
export type Column = Exclude<StoredColumn, 'firstAt'>
/** Counts of each value. They add up over days, except `visitors`, and `lastAt`, whose maximum is used. */
export const COLUMNS = STORED_COLUMNS.filter((column): column is Column => column !== 'firstAt')

export type Counts = Record<Column, number>

const NO_COUNTS = Object.fromEntries(COLUMNS.map(column => [column, 0])) as Counts
export const noCounts = (): Counts => ({ ...NO_COUNTS })

/** A value of a dimension in a rollup. */
export interface RolledUpValue {
  /** Id in `value_dictionary`. */
  valueId: number
  counts: Counts
  /** Distinct visitor_no, ascending. */
  visitors: Uint32Array
  /** Only of errors. */
  firstAt?: number
}

/** Columns of a rollup; the same index in each column belongs to the same value. */
export interface RolledUpColumns {
  /** Ascending. */
  valueIds: Uint32Array
  /** Columns that contain only zeros are left out. */
  columns: Partial<Record<StoredColumn, Float64Array>>
  /** Offset of each entry's visitors in the separately stored bytes. */
  offsets: Uint32Array
}

/** Position of one entry's visitors in the bytes of all entries. */
export interface EncodedVisitors {
  visitors: Uint8Array
  offset: number
  count: number
}

/**
 * Encodes values as two byte strings: the counts column by column (a column of zeros takes one byte), and the visitors;
 * a reader can decode only the entries that it needs.
 */
export function encodeValues(values: RolledUpValue[]): { counts: Buffer; visitors: Buffer } {
  const ordered = values.toSorted((a, b) => a.valueId - b.valueId)
  const visitors = new Writer()
  const sizes = ordered.map(value => {
    const start = visitors.length
    visitors.writeAscending(value.visitors)
    return visitors.length - start
  })
  const counts = new Writer()
  counts.write(ordered.length)
  counts.writeAscending(ordered.map(({ valueId }) => valueId))
  for (const size of sizes) counts.write(size)
  for (const column of STORED_COLUMNS) {
    const stored = ordered.map(({ counts, firstAt = 0 }) => (column === 'firstAt' ? firstAt : counts[column]))
    const isUsed = stored.some(count => count !== 0)
    counts.write(isUsed ? 1 : 0)
    if (isUsed) for (const count of stored) counts.write(count)
  }
  return { counts: counts.finish(), visitors: visitors.finish() }
}

export function decodeColumns(bytes: Uint8Array): RolledUpColumns {
  const reader = new Reader(bytes)
  const size = reader.read()
  const valueIds = reader.readAscending(size)
  const offsets = new Uint32Array(size)
  let offset = 0
  for (let index = 0; index < size; index++) {
    offsets[index] = offset
    offset += reader.read()
  }
  const columns: RolledUpColumns['columns'] = {}
  let isTimed = false
  for (const column of STORED_COLUMNS) {
    if (reader.isAtEnd) break
    if (column === 'durationMs') isTimed = true
    if (reader.read() === 0) continue
    const values = new Float64Array(size)
    for (let index = 0; index < size; index++) values[index] = reader.read()
    columns[column] = values
  }
  if (!isTimed && columns.sessions) columns.untimedSessions = columns.sessions
  return { valueIds, columns, offsets }
}

/**
 * Decodes the visitors of one value: the first number, then differences, as varints.
 * @param into receives the numbers, ascending, from index `at` on
 * @returns the index after the last one
 */
export function decodeVisitors(
  { visitors, offset, count }: EncodedVisitors,
  into: Uint32Array,
  at = 0,
): number {
  let [number, byteAt] = [0, offset]
  const end = at + count
  for (let index = at; index < end; index++) {
    let byte = visitors[byteAt++]!
    let difference = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = visitors[byteAt++]!
      difference |= (byte & 0x7f) << shift
    }
    number += difference
    into[index] = number
  }
  return end
}

/** Decodes all values and their visitors. */
export function decodeValues(counts: Uint8Array, visitors: Uint8Array): RolledUpValue[] {
  const { valueIds, columns, offsets } = decodeColumns(counts)
  return Array.from(valueIds, (valueId, index) => {
    const numbers = new Uint32Array(columns.visitors?.[index] ?? 0)
    decodeVisitors({ visitors, offset: offsets[index]!, count: numbers.length }, numbers)
    return {
      valueId,
      counts: Object.fromEntries(COLUMNS.map(column => [column, columns[column]?.[index] ?? 0])) as Counts,
      visitors: numbers,
      ...(columns.firstAt && { firstAt: columns.firstAt[index]! }),
    }
  })
}
