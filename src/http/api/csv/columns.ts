import { stringify } from 'csv-stringify/sync'
import type { z } from 'zod'
import { type CsvDelimiter, characterOf, startOf } from '../../../platform/schema/csv-delimiter.ts'

/** A column of a file: the fields that lead to its value, none for a list of plain values. */
export interface Column {
  name: string
  path: string[]
}

/**
 * Returns the schema of the rows of a list; undefined for an answer that is no list. A list is a bare array, or a page in the
 * envelope of `paginate`.
 */
export function rowSchemaOf(output: z.core.$ZodType): z.core.$ZodType | undefined {
  const { type, element, shape } = output._zod.def as Definition
  if (type === 'array') return element
  return shape?.data && shape.links && shape.meta ? rowSchemaOf(shape.data) : undefined
}

interface Definition {
  type: string
  element?: z.core.$ZodType
  shape?: Record<string, z.core.$ZodType>
  innerType?: z.core.$ZodType
  out?: z.core.$ZodType
  options?: z.core.$ZodType[]
}

/** Returns the columns of a row, in the order of its fields. A field that is an object becomes one column for each of its own. */
export function columnsOf(row: z.core.$ZodType): Column[] {
  const paths = pathsOf(row, []) ?? [[]]
  const names = new Set<string>()
  return paths.flatMap(path => {
    const name = path.join('.') || 'value'
    if (names.has(name)) return []
    names.add(name)
    return [{ name, path }]
  })
}

/** @returns undefined for anything but objects: texts, numbers, lists, and objects whose fields are not fixed */
function pathsOf(schema: z.core.$ZodType, path: string[]): string[][] | undefined {
  const { shape, innerType, out, options } = schema._zod.def as Definition
  if (shape) {
    return Object.entries(shape).flatMap(([name, field]) => {
      const fieldPath = [...path, name]
      return pathsOf(field, fieldPath) ?? [fieldPath]
    })
  }
  if (innerType ?? out) return pathsOf((innerType ?? out)!, path)
  const choices = options?.filter(option => (option._zod.def as Definition).type !== 'null')
  const paths = choices?.map(option => pathsOf(option, path))
  return paths?.every(each => each !== undefined) ? paths.flat() : undefined
}

/**
 * Returns lines of a file (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe. Null is an
 * empty cell; lists and other objects are JSON.
 */
export const linesOf = (columns: Column[], rows: unknown[], delimiter: CsvDelimiter = 'comma'): string =>
  format(
    rows.map(row => columns.map(({ path }) => cellOf(row, path))),
    delimiter,
  )

/** Returns what a file begins with. */
export const headerOf = (columns: Column[], delimiter: CsvDelimiter = 'comma'): string =>
  startOf(delimiter) + format([columns.map(({ name }) => name)], delimiter)

/** A text with any line break is quoted: otherwise only one with the line break of the file would be. */
const format = (cells: (string | number)[][], delimiter: CsvDelimiter): string =>
  stringify(cells, {
    delimiter: characterOf(delimiter),
    record_delimiter: 'windows',
    escape_formulas: true,
    quoted_match: /[\r\n]/,
  })

/** Spreadsheets leave out the white space before a formula. `escape_formulas` finds those that begin at once. */
const HIDDEN_FORMULA = /^[\s\0]+[=+\-@\uff1d\uff0b\uff0d\uff20]/

function cellOf(row: unknown, path: string[]): string | number {
  let value = row
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return value
  if (typeof value === 'string') return HIDDEN_FORMULA.test(value) ? `'${value}` : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
