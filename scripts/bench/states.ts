import { type Db, statement } from '../../src/infra/db.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'

/**
 * Storage states of the rows, which change query plans. `fresh`: uncompressed rows without statistics. `half`: half of the
 * chunks in the columnstore, the others without statistics. `compressed`: all settled chunks in the columnstore, vacuumed,
 * with statistics.
 */
export const STATES = ['fresh', 'half', 'compressed'] as const
export type State = (typeof STATES)[number]

const selectChunks = statement<{ chunk: string }>('select-chunks-to-compress')
const compressChunk = statement('compress-chunk')
const vacuumEverything = statement('vacuum-everything')

const DAY_MS = 86_400_000

/** Brings the stored rows into a state. It never decompresses: chunks in the columnstore stay there. */
export async function settle(db: Db, state: State, now: Date): Promise<void> {
  if (state === 'fresh') return
  if (state === 'half') {
    const chunks = await selectChunks(db, new Date(now.getTime() - 2 * DAY_MS))
    for (const { chunk } of chunks.filter((_, index) => index % 4 < 2)) await compressChunk(db, chunk)
    return
  }
  await compressSettledChunks(db, now)
  await vacuumEverything(db)
}
