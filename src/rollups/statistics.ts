import type { Db } from '../db/connect.ts'
import { query } from '../db/query.ts'

const selectChunks = query<{ from: Date; to: Date }, { chunk: string }>('select-chunks-to-analyze')

/**
 * Runs `analyze` on chunks of hits and sessions in a time range that have no planner statistics, or have grown by half since
 * the last ones. Chunks of a few pages are left out: with their statistics, a statement would be planned to scan the whole
 * chunk, and would keep that plan after the chunk has grown. A server's autovacuum does this within minutes; the embedded
 * database has no autovacuum. Takes about one second for a chunk of a million rows, because it samples 30,000 rows.
 * @param times Unix milliseconds, both included
 */
export async function analyzeGrown(db: Db, times: { from: number; to: number }): Promise<void> {
  const span = { from: new Date(times.from), to: new Date(times.to) }
  for (const { chunk } of await selectChunks(db, span)) {
    await db.unsafe(`analyze ${chunk}`)
  }
}
