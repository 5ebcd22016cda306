import { expect } from 'vitest'
import type { Db, Transaction } from '../../src/platform/db/connect.ts'

/**
 * Runs `second` while the transaction of `first` is open; it commits once `second` waits for a lock. Needs several sessions, which the
 * embedded database does not have.
 *
 * @returns the outcome of `second`
 */
export async function race<Outcome>(
  db: Db,
  first: (tx: Transaction) => Promise<unknown>,
  second: () => Promise<Outcome>,
): Promise<Outcome> {
  let running: Promise<Outcome> | undefined
  await db.begin(async tx => {
    await first(tx)
    running = second()
    running.catch(() => {})
    const waiting = () => tx`
      select from pg_locks
      where not granted and pid <> pg_backend_pid()
        and (database is null or database = (select oid from pg_database where datname = current_database()))`
    await expect.poll(async () => (await waiting()).length, { timeout: 60_000 }).toBeGreaterThan(0)
  })
  return await running!
}
