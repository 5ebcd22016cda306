import { statement, type Transaction } from '../infra/db.ts'
import { createTurns } from '../infra/turns.ts'

const lockNames = statement('lock-names')

/**
 * Excludes everybody else who changes what was made of the words of a site's processor. One lock a site and not one a
 * subscription: a discount of a customer changes all of theirs, and two payments may turn out to be one.
 */
export async function lockProcessor(tx: Transaction, siteNo: number): Promise<void> {
  await lockNames(tx, [`processor/${siteNo}`])
}

/**
 * Runs transactions that begin with the lock of one site one after the other: waiting for it they would hold all
 * connections of the process.
 */
export const inTurn = createTurns()
