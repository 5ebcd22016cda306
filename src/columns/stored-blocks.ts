import type { Db, Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { DAY_MS } from '../lib/time.ts'
import { FORM } from './encode-block.ts'
import type { Span } from './spans.ts'

/** A block of a day as it is stored, and the stamp of the rows from which it was made. */
export interface StoredBlock {
  /** When the day begins, Unix milliseconds. */
  start: number
  stamp: bigint
  data: Buffer
}

const listBlocks = query<
  { siteNo: number; form: number; from: Date; to: Date },
  { start: number; stamp: string; bytes: number }
>(
  'list-column-blocks',
  `select (extract(epoch from starts_at) * 1000)::bigint as start, stamp::text as stamp, octet_length(data) as bytes
  from column_blocks
  where site_no = :siteNo::int and form = :form::int and starts_at >= :from::timestamptz and starts_at < :to::timestamptz
  order by starts_at desc`,
)

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long.
const readBlocks = query<
  { siteNo: number; form: number; starts: Date[] },
  { start: number; stamp: string; data: string }
>(
  'read-column-blocks',
  `select (extract(epoch from starts_at) * 1000)::bigint as start, stamp::text as stamp, encode(data, 'base64') as data
  from column_blocks
  where site_no = :siteNo::int and form = :form::int and starts_at = any(:starts::timestamptz[])`,
)

/** Bytes that one statement reads, about. */
const BYTES_OF_STATEMENT = 4_000_000

/**
 * Reads the stored blocks of days that are as the rows.
 * @param days UTC, in order
 * @param stampOf says the stamp of the rows
 * @param mostBytes no more of them, the newest first
 */
export async function readStoredBlocks(
  tx: Queryable,
  siteNo: number,
  days: readonly Span[],
  stampOf: (day: Span) => bigint,
  mostBytes: number,
): Promise<StoredBlock[]> {
  if (days.length === 0) return []
  const wanted = new Set(days.map(({ start }) => start))
  const [from, to] = [new Date(days[0]!.start), new Date(days.at(-1)!.end)]
  const listed = await listBlocks(tx, { siteNo, form: FORM, from, to })
  const isValid = ({ start, stamp }: { start: number; stamp: string }) =>
    BigInt(stamp) === stampOf({ start, end: start + DAY_MS })
  const parts: Date[][] = []
  let [size, all] = [BYTES_OF_STATEMENT, 0]
  for (const { bytes, ...block } of listed) {
    all += bytes
    if (all > mostBytes || !wanted.has(block.start) || !isValid(block)) continue
    if (size + bytes > BYTES_OF_STATEMENT) {
      parts.push([])
      size = 0
    }
    size += bytes
    parts.at(-1)!.push(new Date(block.start))
  }
  const found: StoredBlock[] = []
  for (const starts of parts) {
    for (const { start, stamp, data } of await readBlocks(tx, { siteNo, form: FORM, starts })) {
      if (isValid({ start, stamp }))
        found.push({ start, stamp: BigInt(stamp), data: Buffer.from(data, 'base64') })
    }
  }
  return found
}

// Not a block of rows that have changed meanwhile. One whose rows change at this moment is deleted when their stamp is merged.
const insertBlock = query<{ siteNo: number; start: Date; form: number; stamp: string; data: Buffer }>(
  'store-column-block',
  `insert into column_blocks (site_no, starts_at, form, stamp, data)
  select :siteNo::int, :start::timestamptz, :form::int, :stamp::text::bigint, :data::bytea
  where :stamp::text::bigint = (
    select coalesce(bit_xor(stamp), 0)
    from (
      {session_stamps}
    ) as stamped
    where starts_at >= :start::timestamptz and starts_at < :start::timestamptz + interval '1 day'
  )
  on conflict (site_no, starts_at) do update set form = excluded.form, stamp = excluded.stamp, data = excluded.data`,
)

/**
 * Deletes the stored blocks of a site whose rows have changed, also one that was written while its stamps were merged.
 */
export const deleteOldBlocks = query<{ siteNo: number }>(
  'delete-old-column-blocks',
  `delete from column_blocks
  where site_no = :siteNo::int
    and stamp <> (
      select coalesce(bit_xor(stamped.stamp), 0)
      from (
        {session_stamps}
      ) as stamped
      where stamped.starts_at >= column_blocks.starts_at and stamped.starts_at < column_blocks.starts_at + interval '1 day'
    )`,
)

/** Stores the block of a day, so that other processes and later starts need not make it. */
export async function storeBlock(db: Db, siteNo: number, { start, stamp, data }: StoredBlock): Promise<void> {
  await insertBlock(db, { siteNo, start: new Date(start), form: FORM, stamp: stamp.toString(), data })
}
