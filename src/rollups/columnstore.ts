import { type Db, statement } from '../infra/db.ts'

const DAY_MS = 86_400_000
/** A chunk is compressed when it is over for this long: sessions that began in it change no more. */
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

/** How long it is believed that chunks are rows: the hourly compression may come in between. */
const OPEN_FOR_MS = 60_000

/**
 * Makes rows of the chunks of hits and sessions that are written to, before many of their rows change: a chunk that is
 * compressed would be unpacked bit by bit. Compression comes back by itself when nothing is written there any more.
 * @returns a function that is given the times about to be written, Unix milliseconds, both included
 */
export function createChunkOpener(db: Db): (from: number, to: number) => Promise<void> {
  let open = { from: 0, to: 0, until: 0 }
  let opening: Promise<void> = Promise.resolve()

  async function openChunks(from: number, to: number): Promise<void> {
    if (open.from <= from && to <= open.to && performance.now() < open.until) return
    // Days more than asked for, so that it is asked for once a day of a file at most.
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
