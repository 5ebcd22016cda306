import { type Db, statement } from '../infra/db.ts'

const DAY_MS = 86_400_000
/** A chunk is compressed this long after its end: sessions that began in it no longer change by then. */
const SETTLED_MS = 2 * DAY_MS

const selectChunks = statement<{ chunk: string }>('select-chunks-to-compress')
const compressChunk = statement('compress-chunk')
const selectCompressed = statement<{ chunk: string }>('select-compressed-chunks')
const decompressChunk = statement('decompress-chunk')

/** Moves settled chunks of hits and sessions to the columnstore, one at a time. */
export async function compressSettledChunks(db: Db, now: Date): Promise<number> {
  const chunks = await selectChunks(db, new Date(now.getTime() - SETTLED_MS))
  for (const { chunk } of chunks) await compressChunk(db, chunk)
  return chunks.length
}

/** Chunks are checked again after this time, because the hourly compression may have compressed them. */
const OPEN_FOR_MS = 60_000

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
    for (const { chunk } of await selectCompressed(db, new Date(wider.from), new Date(wider.to))) {
      await decompressChunk(db, chunk)
    }
    open = { ...wider, until: performance.now() + OPEN_FOR_MS }
  }

  return (from, to) => {
    opening = opening.catch(() => {}).then(() => openChunks(from, to))
    return opening
  }
}
