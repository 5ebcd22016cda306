import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { Part } from './build-parts.ts'

interface DayKey {
  siteNo: number
  start: Date
  end: Date
}

const deleteSessionColumns = query<DayKey>(
  'delete-session-columns',
  `delete from daily_session_columns
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz`,
)

const insertSessionColumns = query<DayKey & { part: number; name: string; data: Buffer }>(
  'insert-session-columns',
  `insert into daily_session_columns (site_no, starts_at, ends_at, part, name, data)
  values (:siteNo::int, :start::timestamptz, :end::timestamptz, :part::smallint, :name::text, :data::bytea)`,
)

/** Writes the parts of a day in place of those that are there. */
export async function writeParts(tx: Transaction, key: DayKey, parts: readonly Part[]): Promise<void> {
  await deleteSessionColumns(tx, key)
  const written = parts.flatMap((blocks, part) =>
    [...blocks].map(([name, data]) => insertSessionColumns(tx, { ...key, part, name, data })),
  )
  await Promise.all(written)
}

/** Deletes the parts of the days that begin before. */
export const deletePartsBefore = query<{ siteNo: number; before: Date }>(
  'delete-old-session-columns',
  `with gone as (
    delete from daily_session_columns where site_no = :siteNo::int and starts_at < :before::timestamptz
  )
  update daily_rollups set session_parts = null
  where site_no = :siteNo::int and starts_at < :before::timestamptz and session_parts is not null`,
)
