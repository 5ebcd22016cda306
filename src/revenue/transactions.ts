import type { Db, Transaction } from '../db/connect.ts'
import { isRetryable } from '../db/errors.ts'
import { query } from '../db/query.ts'
import { retry } from '../lib/retry.ts'
import { createTurns } from '../lib/turns.ts'

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

/** Excludes all other transactions that record or delete a payment with one of these ids, or of this customer. */
export async function lockPayment(
  tx: Transaction,
  siteNo: number,
  payment: { transactionIds: readonly string[]; currency: string; customer: string },
): Promise<void> {
  const names = payment.transactionIds.map(id => `transaction/${siteNo}/${id}`)
  // The choice of a customer's first payment needs this lock too.
  await lockNames(tx, { names: [...names, nameOf(siteNo, payment)] })
}

interface Payer {
  currency: string
  customer: string
}

const nameOf = (siteNo: number, { currency, customer }: Payer) => `customer/${siteNo}/${currency}/${customer}`

/** Excludes all other transactions that record or delete a payment of these customers. */
export async function lockCustomers(tx: Transaction, siteNo: number, payers: Payer[]): Promise<void> {
  await lockNames(tx, { names: payers.map(payer => nameOf(siteNo, payer)) })
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
