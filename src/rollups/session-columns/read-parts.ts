import type { LRUCache } from 'lru-cache'
import { type Db, inSnapshot, type Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { SESSIONS } from './build-parts.ts'
import { type Block, decodeBlock } from './codec.ts'
import { type ColumnDay, findDays, type StoredDay } from './cover-days.ts'

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

/** Days of one transaction: their blocks are in memory together, and the embedded database does nothing else meanwhile. */
const DAYS_AT_ONCE = 8

/** Where columns are read. */
export interface ColumnSource {
  db: Db
  cache: { blocks: BlockCache }
  siteNo: number
}

/**
 * Calls `use` for each part of days, which do not overlap, with some of its blocks.
 * @returns false when a day is not stored any more, or does not agree with the rows: what was used is then worth nothing
 */
export async function eachPart(
  source: ColumnSource,
  days: readonly ColumnDay[],
  names: readonly string[],
  use: (part: StoredPart) => void,
): Promise<boolean> {
  if (days.length === 0) return false
  for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
    const some = days.slice(from, from + DAYS_AT_ONCE)
    const read = await inSnapshot(source.db, async tx => {
      const stored = await findDays(tx, source.siteNo, some)
      return stored && { stored, found: await findBlocks(tx, source, stored, names) }
    })
    if (!read) return false
    for (const day of read.stored) {
      for (let part = 0; part < day.parts; part++) {
        const blocks = new Map(
          names.map(name => [name, blockOf(source, { day, part, name }, read.found)] as const),
        )
        if (!blocks.get(SESSIONS)) return false
        use({ start: day.start, block: name => blocks.get(name) ?? undefined })
      }
    }
  }
  return true
}

/** Blocks by key. */
interface FoundBlocks {
  /** From the cache, which may lose them at any time. */
  known: Map<string, Block | null>
  /** As they are stored, in base64. */
  encoded: Map<string, string>
}

async function findBlocks(
  tx: Queryable,
  { cache, siteNo }: ColumnSource,
  days: readonly StoredDay[],
  names: readonly string[],
): Promise<FoundBlocks> {
  const known: FoundBlocks['known'] = new Map()
  const missing: BlockKey[] = []
  for (const day of days) {
    for (let part = 0; part < day.parts; part++) {
      for (const name of names) {
        const wanted = { day, part, name }
        const cached = cache.blocks.get(keyOf(siteNo, wanted))
        if (cached) known.set(keyOf(siteNo, wanted), cached.block)
        else missing.push(wanted)
      }
    }
  }
  if (missing.length === 0) return { known, encoded: new Map() }
  const rows = await selectSessionColumns(tx, {
    siteNo,
    starts: missing.map(({ day }) => new Date(day.start)),
    ends: missing.map(({ day }) => new Date(day.end)),
    parts: missing.map(({ part }) => part),
    names: missing.map(({ name }) => name),
  })
  const dayOf = new Map(days.map(day => [day.start, day]))
  const encoded = new Map(
    rows.map(({ start, part, name, data }) => [keyOf(siteNo, { day: dayOf.get(start)!, part, name }), data]),
  )
  return { known, encoded }
}

/** Returns a block, and keeps it in the cache; null where the part has none of the name. */
function blockOf(
  { cache, siteNo }: ColumnSource,
  wanted: BlockKey,
  { known, encoded }: FoundBlocks,
): Block | null {
  const key = keyOf(siteNo, wanted)
  const before = known.get(key)
  if (before !== undefined) return before
  const data = encoded.get(key)
  const block = data === undefined ? null : decodeBlock(Buffer.from(data, 'base64'))
  cache.blocks.set(key, { block }, { size: key.length + (block ? bytesOf(block) : 100) })
  return block
}

/** Approximate memory use in bytes. */
function bytesOf({ columns, texts }: Block): number {
  const ofColumns = Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0)
  return 500 + ofColumns + texts.reduce((sum, { length }) => sum + 2 * length + 50, 0)
}
