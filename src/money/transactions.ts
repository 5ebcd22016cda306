import type { Db, Transaction } from '../platform/db/connect.ts'
import { isRetryable } from '../platform/db/database-errors.ts'
import { query } from '../platform/db/query.ts'
import { retry } from '../platform/lib/retry.ts'
import { createTurns } from '../platform/lib/turns.ts'

/** Blocks other transactions that lock one of the names, until this one ends. The fixed order prevents deadlocks. */
const lockNames = query<{ names: string[] }>(
  'lock-names',
  `select pg_advisory_xact_lock(key)
  from (select distinct hashtextextended(name, 0) as key from unnest(:names::text[]) as name order by key) as named`,
)

/**
 * Excludes all other transactions that change data derived from the events of a site's processor. One lock per site and not
 * per subscription: a customer discount changes all subscriptions of the customer, and two payments may prove to be one.
 */
export async function lockProcessor(tx: Transaction, siteNo: number): Promise<void> {
  await lockNames(tx, { names: [`processor/${siteNo}`] })
}

const ledgerOf = (siteNo: number) => `ledger/${siteNo}`

const shareLedger = query<{ name: string }>(
  'share-ledger',
  'select pg_advisory_xact_lock_shared(hashtextextended(:name, 0))',
)

/**
 * Excludes all other transactions that record or delete payments of a site. For a transaction that records many: to lock each of their
 * ids and customers would take more locks than the server has room for, and in steps, which could deadlock. Call it under the processor
 * lock, before anything is written.
 */
export async function lockLedger(tx: Transaction, siteNo: number): Promise<void> {
  await lockNames(tx, { names: [ledgerOf(siteNo)] })
}

/**
 * Excludes all other transactions that record or delete a payment with one of these ids, or of this customer. Without the processor
 * lock, call it once in a transaction: a second call could deadlock.
 */
export async function lockPayment(
  tx: Transaction,
  siteNo: number,
  payment: { transactionIds: readonly string[]; currency: string; customer: string },
): Promise<void> {
  await shareLedger(tx, { name: ledgerOf(siteNo) })
  const names = payment.transactionIds.map(id => `transaction/${siteNo}/${id}`)
  // The choice of a customer's first payment needs this lock too.
  await lockNames(tx, { names: [...names, `customer/${siteNo}/${payment.currency}/${payment.customer}`] })
}

/** Runs a transaction, in up to 4 attempts when it conflicts with other transactions. */
export const inRepeatedTransaction = <Result>(
  db: Db,
  run: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  retry(async () => (await db.begin(run)) as Result, {
    attempts: 4,
    delayMs: count => 25 * count,
    shouldRetry: isRetryable,
  })

/** Transactions that waited for the processor lock in the database would occupy all connections of the process. */
const inTurn = createTurns()

/**
 * Runs a transaction that holds the processor lock of a site, in up to 4 attempts when it conflicts with other transactions.
 * Within a process, the transactions of one site run one after the other.
 */
export const inProcessorTransaction = <Result>(
  db: Db,
  siteNo: number,
  run: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  inTurn(siteNo, () =>
    inRepeatedTransaction(db, async tx => {
      await lockProcessor(tx, siteNo)
      return run(tx)
    }),
  )
