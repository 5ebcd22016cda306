import type { LRUCache } from 'lru-cache'
import type { Queryable, Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { Window } from '../protocol.ts'
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

/** A day whose columns are stored. */
export interface StoredDay extends Window {
  /** Changes with every change of the rollup, and so of the columns. */
  version: string
  parts: number
}

/** Decoded blocks by `keyOf`; null for a dimension that no session of the part has. */
export type BlockCache = LRUCache<string, { block: Block | null }>

interface BlockKey {
  day: StoredDay
  part: number
  name: string
}

const keyOf = (siteNo: number, { day, part, name }: BlockKey) =>
  `${siteNo}/${day.start}/${day.end}/${day.version}/${part}/${name}`

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long.
const selectSessionColumns = query<
  {
    siteNo: number
    starts: readonly Date[]
    ends: readonly Date[]
    parts: readonly number[]
    names: readonly string[]
  },
  { start: number; part: number; name: string; data: string }
>(
  'select-session-columns',
  `select
    (extract(epoch from wanted.starts_at) * 1000)::bigint as start,
    wanted.part,
    wanted.name,
    encode(data, 'base64') as data
  from unnest(:starts::timestamptz[], :ends::timestamptz[], :parts::smallint[], :names::text[])
    as wanted (starts_at, ends_at, part, name)
  join daily_session_columns on
    daily_session_columns.site_no = :siteNo::int and daily_session_columns.starts_at = wanted.starts_at
    and daily_session_columns.ends_at = wanted.ends_at and daily_session_columns.part = wanted.part
    and daily_session_columns.name = wanted.name`,
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

/** Where columns are read: in the transaction that has read the versions of the days. */
export interface ColumnSource {
  tx: Queryable
  cache: { blocks: BlockCache }
  siteNo: number
}

/** Reads some blocks of days, some days at a time. */
export async function* readParts(
  source: ColumnSource,
  days: readonly StoredDay[],
  names: readonly string[],
): AsyncGenerator<StoredPart> {
  for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
    const some = days.slice(from, from + DAYS_AT_ONCE)
    const blocks = await readBlocks(source, some, names)
    for (const day of some) {
      for (let part = 0; part < day.parts; part++) {
        yield {
          start: day.start,
          block: name => blocks.get(keyOf(source.siteNo, { day, part, name })) ?? undefined,
        }
      }
    }
  }
}

/** Returns all blocks with one of the names, by key: from the cache, or from the database. */
async function readBlocks(
  { tx, cache, siteNo }: ColumnSource,
  days: readonly StoredDay[],
  names: readonly string[],
): Promise<Map<string, Block | null>> {
  const blocks = new Map<string, Block | null>()
  const missing: BlockKey[] = []
  for (const day of days) {
    for (let part = 0; part < day.parts; part++) {
      for (const name of names) {
        const wanted = { day, part, name }
        const known = cache.blocks.get(keyOf(siteNo, wanted))
        if (known) blocks.set(keyOf(siteNo, wanted), known.block)
        else missing.push(wanted)
      }
    }
  }
  if (missing.length === 0) return blocks
  const rows = await selectSessionColumns(tx, {
    siteNo,
    starts: missing.map(({ day }) => new Date(day.start)),
    ends: missing.map(({ day }) => new Date(day.end)),
    parts: missing.map(({ part }) => part),
    names: missing.map(({ name }) => name),
  })
  const found = new Map(rows.map(({ start, part, name, data }) => [`${start}/${part}/${name}`, data]))
  for (const wanted of missing) {
    const data = found.get(`${wanted.day.start}/${wanted.part}/${wanted.name}`)
    const block = data === undefined ? null : decodeBlock(Buffer.from(data, 'base64'))
    const key = keyOf(siteNo, wanted)
    blocks.set(key, block)
    cache.blocks.set(key, { block }, { size: key.length + (block ? bytesOf(block) : 100) })
  }
  return blocks
}

/** Approximate memory use in bytes. */
function bytesOf({ columns, texts }: Block): number {
  const ofColumns = Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0)
  return 500 + ofColumns + texts.reduce((sum, { length }) => sum + 2 * length + 50, 0)
}
