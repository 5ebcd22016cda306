import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'

/** A chunk is compressed this long after its end: sessions that began in it no longer change by then. */
const SETTLED_MS = 2 * DAY_MS

/** Chunks of hits and sessions that ended before a time and have uncompressed rows. */
export const selectChunksToCompress = query<{ endedBefore: Date }, { chunk: string }>(
  'select-chunks-to-compress',
)

// Turns UUID compression on: it stores an id in two halves, and the half with little information takes no space. TimescaleDB
// supports it since 2.22 and uses it by default since 2.23. Older versions have no such setting: pg_settings returns no row, and
// nothing is set.
export const compressChunk = query<{ chunk: string }>(
  'compress-chunk',
  `
  with halving as materialized (
    select set_config(name, 'on', true) from pg_settings where name = 'timescaledb.enable_uuid_compression'
  )
  select compress_chunk(:chunk::regclass, true)
  from (select count(*) from halving) as prepared`,
)

/** Chunks of hits and sessions that overlap [from, to] and are compressed, fully or in part. */
const selectCompressed = query<{ from: Date; to: Date }, { chunk: string }>(
  'select-compressed-chunks',
  `
  select format('%I.%I', chunk_schema, chunk_name) as chunk
  from timescaledb_information.chunks
  where hypertable_schema = 'public'
    and hypertable_name in ('events', 'sessions', 'web_vitals')
    and is_compressed
    and range_end > :from::timestamptz
    and range_start <= :to::timestamptz
  order by range_start`,
)

/** Does nothing when the chunk is not compressed. */
const decompressChunk = query<{ chunk: string }>(
  'decompress-chunk',
  'select decompress_chunk(:chunk::regclass, true)',
)

/** Moves settled chunks of hits and sessions to the columnstore, one at a time. */
export async function compressSettledChunks(db: Db, now: Date): Promise<number> {
  const chunks = await selectChunksToCompress(db, { endedBefore: new Date(now.getTime() - SETTLED_MS) })
  for (const { chunk } of chunks) await compressChunk(db, { chunk })
  return chunks.length
}

/** Chunks are checked again after this time, because the hourly compression may have compressed them. */
const OPEN_FOR_MS = MINUTE_MS

/**
 * Decompresses chunks of hits and sessions before many of their rows change: otherwise each write would unpack a small part
 * of a compressed chunk. The hourly job compresses them again after the writes have ended.
 * @returns a function that takes the range of times about to be written, Unix milliseconds, both included
 */
export function createChunkOpener(db: Db): (from: number, to: number) => Promise<void> {
  let open = { from: 0, to: 0, until: 0 }
  let opening: Promise<void> = Promise.resolve()

  async function openChunks(from: number, to: number): Promise<void> {
    if (open.from <= from && to <= open.to && performance.now() < open.until) return
    // Open one more day on each side: an import file then causes at most one query for each day that it covers.
    const wider = { from: from - DAY_MS, to: to + DAY_MS }
    const times = { from: new Date(wider.from), to: new Date(wider.to) }
    for (const { chunk } of await selectCompressed(db, times)) await decompressChunk(db, { chunk })
    open = { ...wider, until: performance.now() + OPEN_FOR_MS }
  }

  return (from, to) => {
    opening = opening.catch(() => {}).then(() => openChunks(from, to))
    return opening
  }
}

/**
 * Prepares the current transaction for changes of columnstore chunks. A generic plan would decompress all segments of a chunk.
 * The limit on decompressed rows (100,000) is off, because the columnstore of older versions decompresses rows to delete them.
 */
export const allowColumnstoreWrites = query(
  'allow-columnstore-writes',
  `select
    set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)`,
)

const selectChunksToAnalyze = query<{ from: Date; to: Date }, { chunk: string }>('select-chunks-to-analyze')

/**
 * Runs `analyze` on chunks of hits and sessions in a time range that have no planner statistics, or have grown by half since
 * the last ones. Chunks of a few pages are left out: with their statistics, a statement would be planned to scan the whole
 * chunk, and would keep that plan after the chunk has grown. A server's autovacuum does this within minutes; the embedded
 * database has no autovacuum. Takes about one second for a chunk of a million rows, because it samples 30,000 rows.
 * @param times Unix milliseconds, both included
 */
export async function analyzeGrown(db: Db, times: { from: number; to: number }): Promise<void> {
  const span = { from: new Date(times.from), to: new Date(times.to) }
  for (const { chunk } of await selectChunksToAnalyze(db, span)) {
    await db.unsafe(`analyze ${chunk}`)
  }
}
