import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, isRetryable, type Transaction } from '../infra/db.ts'

const ATTEMPTS = 4
const RETRY_MS = 25

/** Runs a transaction, in up to 4 attempts when it conflicts with other transactions. */
export async function transact<Result>(db: Db, run: (tx: Transaction) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.begin(run)) as Result
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error
      await sleep(RETRY_MS * attempt)
    }
  }
}
