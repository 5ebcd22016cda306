import { parse } from 'csv-parse/sync'
import { createPauses } from '../../../platform/lib/pauses.ts'
import { peek } from './bytes.ts'
import { cutRecords, type Records } from './csv-records.ts'
import { refusal } from './limits.ts'

/** Fields by the name of their column; a column that the file or the row does not have is undefined. */
export type CsvRow = Record<string, string | undefined>

/** A row, or why it could not be read. */
export type CsvItem = {
  /** On which it begins, from 1. */
  line: number
} & ({ row: CsvRow; left?: undefined } | { row?: undefined; left: string })

export interface CsvOptions {
  /** Longest row in bytes. */
  maxBytes?: number
  /** Names of the columns, for files without a first row that has them. */
  columns?: string[]
}

/** Exports of events have rows of a few hundred bytes; properties make some of them longer. */
const MAX_ROW_BYTES = 1024 * 1024
const MAX_COLUMNS = 1_000
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const DELIMITERS = [',', ';', '\t'] as const

/**
 * Yields the rows of a CSV file (RFC 4180) with constant memory. The first row has the names of the columns, in any case. Commas,
 * semicolons and tabs may separate fields: the first row decides. A byte order mark is skipped; rows may have fewer or more fields
 * than the first one.
 * @throws AppError `validation_failed` when the first row is too long, or a quote is not closed
 */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  { maxBytes = MAX_ROW_BYTES, columns }: CsvOptions = {},
): AsyncGenerator<CsvItem> {
  const { first, all } = await peek(source, 64 * 1024)
  const delimiter = delimiterOf(first)
  const pause = createPauses()
  let names = columns
  for await (const records of cutRecords(withoutMark(all), {
    delimiter: delimiter.charCodeAt(0),
    maxBytes,
  })) {
    if (!names && records.tooLong.length > 0 && records.bounds.length === 0) throw tooLongHeader()
    for (const [index, fields] of parseRecords(records, delimiter).entries()) {
      await pause()
      const { line } = records.bounds[index]!
      if (!fields) yield { line, left: 'the row is not valid CSV' }
      else if (names) yield { line, row: rowOf(names, fields) }
      else names = namesOf(fields)
    }
    for (const line of records.tooLong) {
      yield { line, left: `the row is longer than ${Math.floor(maxBytes / 1024)} KiB` }
    }
  }
}

async function* withoutMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of source) {
    yield isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk
    isFirst = false
  }
}

/** @returns the fields of each record; undefined for one that is not valid */
function parseRecords(
  { bytes, bounds }: Pick<Records, 'bytes' | 'bounds'>,
  delimiter: string,
): (string[] | undefined)[] {
  if (bounds.length === 0) return []
  const options = {
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n'],
  }
  const parseBytes = (part: Buffer) => parse(part, options)
  const join = () => Buffer.concat(bounds.map(({ start, end }) => bytes.subarray(start, end)))
  try {
    const rows = parseBytes(join())
    if (rows.length === bounds.length) return rows
  } catch {
    // One of the records is not valid: find out which.
  }
  return bounds.map(({ start, end }) => {
    try {
      return parseBytes(bytes.subarray(start, end))[0]
    } catch {
      return undefined
    }
  })
}

/** Yields the rows of a CSV file as `readCsv`, but says of one that has fewer fields than the first row that it is not whole. */
export async function* readWholeRows(source: AsyncIterable<Buffer>): AsyncGenerator<CsvItem> {
  for await (const item of readCsv(source)) {
    const isShort = item.row && Object.values(item.row).includes(undefined)
    yield isShort ? { line: item.line, left: 'the row has fewer fields than there are columns' } : item
  }
}

/** The separator that occurs most often in the first line. */
function delimiterOf(first: Buffer): string {
  const line = first.toString('latin1').split('\n', 1)[0]!
  const countOf = (delimiter: string) => line.split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (countOf(delimiter) > countOf(best) ? delimiter : best))
}

function namesOf(fields: string[]): string[] {
  if (fields.length > MAX_COLUMNS) throw refusal(`the file has more than ${MAX_COLUMNS} columns`)
  return fields.map(name => name.trim().toLowerCase())
}

function rowOf(names: string[], fields: string[]): CsvRow {
  const row: CsvRow = {}
  for (let index = 0; index < names.length; index++) row[names[index]!] = fields[index]
  return row
}

const tooLongHeader = () =>
  refusal('the first row of the file is too long; it must have the names of columns')
