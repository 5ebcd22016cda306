import type { Db } from '../../src/db/connect.ts'
import { query } from '../../src/db/query.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import {
  compressChunk,
  compressSettledChunks,
  selectChunksToCompress,
} from '../../src/rollups/columnstore.ts'

/**
 * Storage states of the rows, which change query plans. `fresh`: uncompressed rows without statistics. `half`: half of the
 * chunks in the columnstore, the others without statistics. `compressed`: all settled chunks in the columnstore, vacuumed,
 * with statistics.
 */
export const STATES = ['fresh', 'half', 'compressed'] as const
export type State = (typeof STATES)[number]

/** Does at once what autovacuum would do later. Must run outside a transaction. */
const vacuumEverything = query('vacuum-everything', 'vacuum (analyze)')

/** Brings the stored rows into a state. It never decompresses: chunks in the columnstore stay there. */
export async function settle(db: Db, state: State, now: Date): Promise<void> {
  if (state === 'fresh') return
  if (state === 'half') {
    const chunks = await selectChunksToCompress(db, { endedBefore: new Date(now.getTime() - 2 * DAY_MS) })
    for (const { chunk } of chunks.filter((_, index) => index % 4 < 2)) await compressChunk(db, { chunk })
    return
  }
  await compressSettledChunks(db, now)
  await vacuumEverything(db)
}
