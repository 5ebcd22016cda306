import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import { type CsvRow, readCsv, readWholeRows } from '../read/csv.ts'
import { refusal } from '../read/limits.ts'
import type { PackedFile } from '../read/packed-files.ts'
import { wholeNumber } from './cells.ts'
import type { TotalsItem, TotalsRow, TotalsTable } from './format.ts'

/** How a number is read; undefined: the row does not have it. */
export type ReadNumber = (row: CsvRow) => number | undefined

export interface CsvTable {
  file: PackedFile
  dimensions: Dimension[]
  /** In the order of `dimensions`. */
  values(row: CsvRow): string[]
  numbers: Partial<Record<TotalsNumber, ReadNumber>>
  /** Undefined: the row has no day. */
  day(row: CsvRow): string | undefined
  /** Column by which the rows are split, but which is not kept: they are not the totals of what is kept, and all are left out. */
  splitBy?: string | undefined
  /** Returns why a row is left out. */
  leave?: (row: CsvRow) => string | undefined
}

/** Returns the names of the columns of a CSV file that has rows, in lower case. */
export async function columnsOf(file: PackedFile): Promise<Set<string> | undefined> {
  for await (const { row } of readCsv(file.read())) if (row) return new Set(Object.keys(row))
  return undefined
}

/** Returns a reader of whole numbers in a column; an empty cell is 0, as databases leave out what a join does not find. */
export const countIn =
  (column: string): ReadNumber =>
  row => {
    const cell = row[column]?.trim() ?? ''
    return cell === '' || cell === '\\N' ? 0 : wholeNumber(cell)
  }

/** Of a column in a message. */
const LONGEST_NAME = 60

/** @throws AppError `validation_failed` without any number that can be kept */
export function tableOf({ file, dimensions, values, numbers, day, splitBy, leave }: CsvTable): TotalsTable {
  const known = { ...numbers }
  // Shares and means of sessions need their number.
  if (!known.sessions) {
    delete known.bounces
    delete known.duration_seconds
  }
  const names = Object.keys(known) as TotalsNumber[]
  const split =
    splitBy && `the column “${splitBy.slice(0, LONGEST_NAME)}” is not known: export the table without it`
  if (names.length === 0 && !split) throw refusal(`${file.name} has no column with numbers that can be kept`)

  function read(row: CsvRow): { row: TotalsRow; left?: undefined } | { row?: undefined; left: string } {
    const reason = split || leave?.(row)
    if (reason) return { left: reason }
    const date = day(row)
    if (!date) return { left: 'the row has no day' }
    const read: number[] = []
    for (const name of names) {
      const number = known[name]!(row)
      if (number === undefined) return { left: `${name} is no number that can be` }
      read.push(number)
    }
    return { row: { day: date, values: values(row), numbers: read } }
  }

  async function* rows(): AsyncGenerator<TotalsItem> {
    for await (const { line, row, left } of readWholeRows(file.read())) {
      yield { line, ...(row ? read(row) : { left: left! }) }
    }
  }

  return { file: file.name, dimensions, numbers: names, rows }
}
