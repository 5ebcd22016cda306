import { type Db, statement } from '../../src/infra/db.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'

/**
 * How rows lie in the database, for what is planned by it. `fresh`: as they were written, without statistics. `half`: every
 * other chunk in the columnstore, the others without statistics. `compressed`: all that is settled in the columnstore,
 * vacuumed, with statistics.
 */
export const STATES = ['fresh', 'half', 'compressed'] as const
export type State = (typeof STATES)[number]

const selectChunks = statement<{ chunk: string }>('select-chunks-to-compress')
const compressChunk = statement('compress-chunk')
const vacuumEverything = statement('vacuum-everything')

const DAY_MS = 86_400_000

/** Puts what is stored into a state. From rows: what is in the columnstore stays there. */
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
