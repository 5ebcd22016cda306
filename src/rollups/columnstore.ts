import { type Db, statement } from '../infra/db.ts'

const DAY_MS = 86_400_000
/** A chunk is compressed when it is over for this long: sessions that began in it change no more. */
const SETTLED_MS = 2 * DAY_MS

const selectChunks = statement<{ chunk: string }>('select-chunks-to-compress')
const compressChunk = statement('compress-chunk')

/** Moves settled chunks of hits and sessions to the columnstore, one at a time. */
export async function compressSettledChunks(db: Db, now: Date): Promise<number> {
  const chunks = await selectChunks(db, new Date(now.getTime() - SETTLED_MS))
  for (const { chunk } of chunks) await compressChunk(db, chunk)
  return chunks.length
}
