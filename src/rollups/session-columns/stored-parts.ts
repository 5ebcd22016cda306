import type { Queryable, Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { arraysOf, type Window } from '../protocol.ts'
import type { Part } from './build-parts.ts'
import { type Block, decodeBlock } from './codec.ts'

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

/** Deletes the parts of a day. */
export const deleteParts = deleteSessionColumns

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long.
const selectSessionColumns = query<
  { siteNo: number; starts: readonly Date[]; ends: readonly Date[]; names: readonly string[] },
  { start: number; part: number; name: string; data: string }
>(
  'select-session-columns',
  `select
    (extract(epoch from daily_session_columns.starts_at) * 1000)::bigint as start,
    part,
    name,
    encode(data, 'base64') as data
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  join daily_session_columns on
    daily_session_columns.site_no = :siteNo::int and daily_session_columns.starts_at = day.starts_at
    and daily_session_columns.ends_at = day.ends_at and name = any(:names::text[])`,
)

/** Some blocks of a part of a day. */
export interface StoredPart {
  /** Start of the day, Unix milliseconds. */
  start: number
  /** Undefined for a dimension that no session of the part has. */
  block: (name: string) => Block | undefined
}

/** Days of one statement: their blocks are in memory together. */
const DAYS_AT_ONCE = 8

/** Reads some blocks of days, some days at a time. */
export async function* readParts(
  tx: Queryable,
  siteNo: number,
  days: readonly Window[],
  names: readonly string[],
): AsyncGenerator<StoredPart> {
  for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
    const some = days.slice(from, from + DAYS_AT_ONCE)
    const rows = await selectSessionColumns(tx, {
      siteNo,
      ...arraysOf(some.map(day => ({ ...day, siteNo }))),
      names,
    })
    const parts = new Map<string, Map<string, string>>()
    for (const { start, part, name, data } of rows) {
      const key = `${start}/${part}`
      const blocks = parts.get(key) ?? new Map<string, string>()
      parts.set(key, blocks.set(name, data))
    }
    for (const [key, blocks] of parts) {
      yield {
        start: Number.parseInt(key, 10),
        block: name => {
          const data = blocks.get(name)
          return data === undefined ? undefined : decodeBlock(Buffer.from(data, 'base64'))
        },
      }
    }
  }
}
