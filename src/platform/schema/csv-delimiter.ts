import { z } from 'zod'

const CHARACTERS = { comma: ',', semicolon: ';' }
export type CsvDelimiter = keyof typeof CHARACTERS
export const CSV_DELIMITERS = Object.keys(CHARACTERS) as CsvDelimiter[]

export const CSV_DELIMITER_MEANING =
  'Of a CSV file: `semicolon` separates its cells by `;` and begins with a byte order mark, for spreadsheets where numbers have a decimal comma; `comma` is RFC 4180.'

/** Field of the query of whatever answers with a CSV file. */
export const CsvDelimiterField = z
  .enum(CSV_DELIMITERS, `must be one of ${CSV_DELIMITERS.join(', ')}`)
  .default('comma')
  .meta({ description: CSV_DELIMITER_MEANING })

/** Character between two cells. */
export const characterOf = (delimiter: CsvDelimiter): string => CHARACTERS[delimiter]

/** What the file begins with: spreadsheets of the same countries take a file without a mark for one of their own encoding. */
export const startOf = (delimiter: CsvDelimiter): string => (delimiter === 'semicolon' ? '\ufeff' : '')
