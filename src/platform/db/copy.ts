import type { Writable } from 'node:stream'
import type { Transaction } from './connect.ts'
import { dialect } from './dialects/chosen-dialect.ts'
import type { TableName } from './tables.ts'

// COPY is the cheapest way to insert many rows: a row costs the server half of what `insert … select from unnest(…)` costs it
// (docs/decisions/019-cost-of-a-hit.md).

/** What the driver calls when the server has finished a statement; its types leave it out (test/platform/db/copy.test.ts guards it). */
interface Settled {
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Declares a COPY and returns the function that runs it.
 * @param name kebab-case, stands in the server's log
 * @param columns in the order of the values of a line
 * @returns a function that takes the bytes of `copyLines`, and throws the database error: no row is inserted then
 */
export function copyInto(name: string, table: TableName, columns: readonly string[]) {
  const text = `/* ${name} */ copy ${table} (${columns.join(', ')}) from stdin`
  return async (tx: Transaction, lines: Buffer): Promise<void> => {
    const statement = tx.unsafe(text)
    const rows: Writable = await statement.writable()
    await new Promise<void>((resolve, reject) => {
      // The promise of the statement has resolved with the stream. What the server says of the rows would get lost without this.
      const refuse = (error: unknown) => reject(dialect().copyError(error))
      Object.assign(statement as unknown as Settled, { resolve, reject: refuse })
      rows.on('error', refuse)
      rows.end(lines)
    })
  }
}

/** Characters that end a value or begin an escape in the text form of COPY. */
const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const ALL_SPECIAL = new RegExp(SPECIAL, 'g')

/**
 * Returns a value as COPY reads it.
 * @param value text without NUL, finite number or null
 */
export function copyValue(value: string | number | null): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return SPECIAL.test(value) ? value.replace(ALL_SPECIAL, character => ESCAPES[character]!) : value
}

/** Returns values side by side, as `copyValue` gives them. */
export const copyValues = (values: (string | number | null)[]): string => values.map(copyValue).join('\t')

/** Most lines are shorter. */
const LINE_BYTES = 512

/**
 * Returns the lines of rows. They are written one by one into bytes: one text of all of them would be copied twice more.
 * @param lineOf values in the form of `copyValue`, separated by tabs
 */
export function copyLines<Row>(rows: readonly Row[], lineOf: (row: Row) => string): Buffer {
  let bytes = Buffer.allocUnsafe(rows.length * LINE_BYTES)
  let end = 0
  for (const row of rows) {
    const line = lineOf(row)
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const most = end + line.length * 3 + 1
    if (most > bytes.length) {
      const larger = Buffer.allocUnsafe(2 * most)
      bytes.copy(larger, 0, 0, end)
      bytes = larger
    }
    end += bytes.write(line, end)
    bytes[end++] = NEW_LINE
  }
  return bytes.subarray(0, end)
}

const NEW_LINE = 0x0a
