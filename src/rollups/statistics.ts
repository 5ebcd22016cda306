import { type Db, statement } from '../infra/db.ts'

const selectChunks = statement<{ chunk: string }>('select-chunks-to-analyze')

/**
 * Makes the planner's statistics of the chunks of hits and sessions that were written to: those that have none, or have
 * grown by half since. Small chunks keep none: by those of a few pages a statement would be planned to read all of a chunk, and
 * be carried out like that when the chunk has long grown. A server's autovacuum does it within minutes, the embedded database has none. About a second for
 * a chunk of a million rows, since 30,000 of them are looked at.
 * @param times Unix milliseconds, both included
 */
export async function analyzeGrown(db: Db, times: { from: number; to: number }): Promise<void> {
  for (const { chunk } of await selectChunks(db, new Date(times.from), new Date(times.to))) {
    await db.unsafe(`analyze ${chunk}`)
  }
}
