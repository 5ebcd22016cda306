import { type Db, statement } from '../infra/db.ts'

const selectChunks = statement<{ chunk: string }>('select-chunks-to-analyze')

/**
 * Runs `analyze` on chunks of hits and sessions in a time range that have no planner statistics, or have grown by half since
 * the last ones. Chunks of a few pages are left out: with their statistics, a statement would be planned to scan the whole
 * chunk, and would keep that plan after the chunk has grown. A server's autovacuum does this within minutes; the embedded
 * database has no autovacuum. Takes about one second for a chunk of a million rows, because it samples 30,000 rows.
 * @param times Unix milliseconds, both included
 */
export async function analyzeGrown(db: Db, times: { from: number; to: number }): Promise<void> {
  for (const { chunk } of await selectChunks(db, new Date(times.from), new Date(times.to))) {
    await db.unsafe(`analyze ${chunk}`)
  }
}
