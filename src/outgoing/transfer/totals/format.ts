import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import type { PackedFile } from '../read/packed-files.ts'

/** Totals of one day and combination of values. */
export interface TotalsRow {
  /** `2024-01-31`. */
  day: string
  /** In the order of the dimensions of its table. */
  values: string[]
  /** In the order of the numbers of its table. */
  numbers: number[]
}

/** A row, or why it cannot be carried over: a short text without values of the row, so that equal ones can be counted. */
export type TotalsItem = {
  /** Of the file, on which the row begins. */
  line: number
} & ({ row: TotalsRow; left?: undefined } | { row?: undefined; left: string })

/** Totals by the same dimensions. */
export interface TotalsTable {
  /** File that it stands in. */
  file: string
  dimensions: Dimension[]
  numbers: TotalsNumber[]
  /** Yields its rows with constant memory, in the order of the file. Days and values may repeat: such rows add up. */
  rows(): AsyncIterable<TotalsItem>
}

export interface TotalsOptions {
  /** Zone of the site, IANA: hours are put into its days. */
  timezone: string
  /** Zone of hours in the file, IANA. */
  fileTimezone: string
}

/** Reads what another product has counted. */
export interface TotalsFormat {
  /** What a person calls the format. */
  title: string
  /** What the file must be, as a sentence for messages and help. */
  file: string
  /** What is not exact, for the result of a dry run. */
  notes: string[]
  /**
   * Finds the tables in the files of an export.
   * @returns the tables, and the names of files that hold none
   * @throws AppError `validation_failed` for a file that cannot be right
   */
  open(files: PackedFile[], options: TotalsOptions): Promise<{ tables: TotalsTable[]; unknown: string[] }>
}
