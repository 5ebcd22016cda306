import { statement, type Transaction } from '../infra/db.ts'
import { createTurns } from '../infra/turns.ts'

const lockNames = statement('lock-names')

/**
 * Excludes all other transactions that change data derived from the events of a site's processor. One lock per site and not
 * per subscription: a customer discount changes all subscriptions of the customer, and two payments may prove to be one.
 */
export async function lockProcessor(tx: Transaction, siteNo: number): Promise<void> {
  await lockNames(tx, [`processor/${siteNo}`])
}

/**
 * Runs the transactions that begin with the lock of one site one after the other. If they waited for the lock in the
 * database, they would occupy all connections of the process.
 */
export const inTurn = createTurns()
