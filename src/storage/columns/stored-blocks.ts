import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import { FORM } from './encode-block.ts'
import type { Span } from './spans.ts'

/** A block of a day as it is stored, and the stamp of the rows from which it was made. */
export interface StoredBlock {
  /** When the day begins, Unix milliseconds. */
  start: number
  stamp: bigint
  /** About how much memory its columns take. */
  decodedBytes: number
  data: Buffer
}

/** What is known of a stored block before it is read. */
export interface ListedBlock {
  start: number
  bytes: number
  decodedBytes: number
}

/** Says the stamp of the rows of a day. */
type StampOf = (day: Span) => bigint

const listBlocks = query<
  { siteNo: number; form: number; from: Date; to: Date },
  ListedBlock & { stamp: string }
>(
  'list-column-blocks',
  `select
    (extract(epoch from starts_at) * 1000)::bigint as start, stamp::text as stamp, octet_length(data) as bytes,
    decoded_bytes as "decodedBytes"
  from column_blocks
  where site_no = :siteNo::int and form = :form::int and starts_at >= :from::timestamptz and starts_at < :to::timestamptz
  order by starts_at desc`,
)

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long.
const readBlocks = query<
  { siteNo: number; form: number; starts: Date[] },
  { start: number; stamp: string; decodedBytes: number; data: string }
>(
  'read-column-blocks',
  `select
    (extract(epoch from starts_at) * 1000)::bigint as start, stamp::text as stamp, decoded_bytes as "decodedBytes",
    encode(data, 'base64') as data
  from column_blocks
  where site_no = :siteNo::int and form = :form::int and starts_at = any(:starts::timestamptz[])`,
)

/** Bytes that one statement reads, about. */
const BYTES_OF_STATEMENT = 4_000_000

const isValid = ({ start, stamp }: { start: number; stamp: string }, stampOf: StampOf) =>
  BigInt(stamp) === stampOf({ start, end: start + DAY_MS })

/**
 * Returns which blocks of days are stored that are as the rows, the newest first.
 * @param days UTC, in order
 */
export async function listStoredBlocks(
  tx: Queryable,
  siteNo: number,
  days: readonly Span[],
  stampOf: StampOf,
): Promise<ListedBlock[]> {
  if (days.length === 0) return []
  const wanted = new Set(days.map(({ start }) => start))
  const [from, to] = [new Date(days[0]!.start), new Date(days.at(-1)!.end)]
  const listed = await listBlocks(tx, { siteNo, form: FORM, from, to })
  return listed.filter(block => wanted.has(block.start) && isValid(block, stampOf))
}

/** Reads stored blocks that are as the rows, some at a time. */
export async function* readStoredBlocks(
  tx: Queryable,
  siteNo: number,
  listed: readonly ListedBlock[],
  stampOf: StampOf,
): AsyncGenerator<Omit<StoredBlock, 'stamp'>[]> {
  const parts: Date[][] = []
  let size = BYTES_OF_STATEMENT
  for (const { bytes, start } of listed) {
    if (size + bytes > BYTES_OF_STATEMENT) {
      parts.push([])
      size = 0
    }
    size += bytes
    parts.at(-1)!.push(new Date(start))
  }
  for (const starts of parts) {
    const found = await readBlocks(tx, { siteNo, form: FORM, starts })
    yield found
      .filter(block => isValid(block, stampOf))
      .map(({ start, decodedBytes, data }) => ({ start, decodedBytes, data: Buffer.from(data, 'base64') }))
  }
}

// Not a block of rows that have changed meanwhile. One whose rows change at this moment is deleted when their stamp is merged.
const insertBlock = query<{
  siteNo: number
  start: Date
  form: number
  stamp: string
  decodedBytes: number
  data: Buffer
}>(
  'store-column-block',
  `insert into column_blocks (site_no, starts_at, form, stamp, decoded_bytes, data)
  select :siteNo::int, :start::timestamptz, :form::int, :stamp::text::bigint, :decodedBytes::bigint, :data::bytea
  where :stamp::text::bigint = (
    select coalesce(bit_xor(stamp), 0)
    from (
      {session_stamps}
    ) as stamped
    where starts_at >= :start::timestamptz and starts_at < :start::timestamptz + interval '1 day'
  )
  on conflict (site_no, starts_at)
  do update set form = excluded.form, stamp = excluded.stamp, decoded_bytes = excluded.decoded_bytes, data = excluded.data`,
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
export async function storeBlock(
  db: Db,
  siteNo: number,
  { start, stamp, ...block }: StoredBlock,
): Promise<void> {
  await insertBlock(db, { siteNo, start: new Date(start), form: FORM, stamp: stamp.toString(), ...block })
}
