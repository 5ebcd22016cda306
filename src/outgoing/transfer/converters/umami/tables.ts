import type { CsvRow } from '../../read/csv.ts'
import { readCsv } from '../../read/csv.ts'
import { refusal } from '../../read/limits.ts'
import type { PackedFile } from '../../read/packed-files.ts'

/** Tables of Umami. Version 1 had pageviews and events in tables of their own. */
export type Table = 'events' | 'event data' | 'session data' | 'sessions'

/** The tables that a file holds, each possibly in several parts. */
export type Tables = Record<Table, PackedFile[]>

/**
 * Finds the tables by their columns: names of files depend on how they were exported.
 * @throws AppError `validation_failed` when there is no table of events
 */
export async function findTables(files: PackedFile[]): Promise<Tables> {
  const tables: Tables = { events: [], 'event data': [], 'session data': [], sessions: [] }
  let isTotals = false
  for (const file of files) {
    const columns = await columnsOf(file)
    const table = tableOf(columns)
    if (table) tables[table].push(file)
    isTotals ||= columns.size === 2 && columns.has('x') && columns.has('y')
  }
  if (tables.events.length > 0) return tables
  throw refusal(
    isTotals
      ? 'this is the export of totals; it has no events. Export the tables website_event, session, event_data and session_data from the database of Umami'
      : 'no table of events found; expected is website_event as CSV with at least the columns session_id, created_at and url_path',
  )
}

/** Columns of the first row that can be read; none for an empty table. */
async function columnsOf(file: PackedFile): Promise<Set<string>> {
  for await (const { row } of readCsv(file.read())) if (row) return new Set(Object.keys(row))
  return new Set()
}

function tableOf(columns: Set<string>): Table | undefined {
  const has = (...names: string[]) => names.some(name => columns.has(name))
  if (has('data_key', 'event_key', 'session_key')) {
    return has('website_event_id', 'event_id') ? 'event data' : has('session_id') ? 'session data' : undefined
  }
  if (!has('session_id')) return undefined
  if (has('url_path', 'url')) return 'events'
  return has('browser', 'device', 'os') ? 'sessions' : undefined
}

/** Empty fields, and the ways in which databases write that there is no value. */
export function fieldOf(row: CsvRow, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = row[name]
    if (value !== undefined && value !== '' && value !== '\\N' && value !== 'NULL') return value
  }
  return undefined
}

/** Value of a row of `event_data` or `session_data`. */
export function dataOf(row: CsvRow): { key: string; value: string } | undefined {
  const key = fieldOf(row, 'data_key', 'event_key', 'session_key')
  const value =
    fieldOf(row, 'string_value', 'event_string_value', 'session_string_value') ??
    plainNumber(fieldOf(row, 'number_value', 'event_numeric_value', 'session_numeric_value')) ??
    fieldOf(row, 'date_value', 'event_date_value', 'session_date_value')
  return key === undefined || value === undefined ? undefined : { key, value: plainNumber(value)! }
}

/** Databases write numbers with four decimals: `5.0000`. */
const plainNumber = (value: string | undefined) =>
  value !== undefined && /^-?\d+\.\d{4}$/.test(value) ? value.replace(/\.?0+$/, '') : value
