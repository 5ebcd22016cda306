import type { Db, Transaction } from '../platform/db/connect.ts'
import { query } from '../platform/db/query.ts'
import { invalidField } from '../platform/errors.ts'
import type { Log } from '../platform/runtime/log.ts'
import { lockConnection, type OpenConnection } from './processor/connection.ts'
import type { Fact } from './processor/event.ts'
import { type AnyFact, isOfSale, SALE_KINDS_IN_SQL } from './processor/facts.ts'
import type { Lookup } from './processor/fetch-objects.ts'
import { reconcilePayments } from './sales/reconcile-payments.ts'
import { type Affected, storeFact } from './store-fact.ts'
import { enqueueRecomputes, recomputeSite } from './subscriptions/recompute-queue.ts'
import { MOST_AT_ONCE, recomputeSubscriptions } from './subscriptions/recompute-subscription.ts'
import { inProcessorTransaction } from './transactions.ts'

/** Returns the sales that belong to a subscription or customer; either may be null. */
const selectSales = query<
  { siteNo: number; subscriptionId: string | null; customerId: string | null },
  { objectId: string; saleIds: string[] }
>(
  'select-sales-of',
  `select distinct object_id as "objectId", sale_ids as "saleIds"
  from processor_facts
  where
    site_no = :siteNo
    and kind in (${SALE_KINDS_IN_SQL})
    and (subscription_id = :subscriptionId or customer_id = :customerId)`,
)

/**
 * Applies a fact in one transaction: stores it, recomputes the subscriptions that depend on it, and reconciles the payments of
 * its sales. If more than 50 subscriptions depend on it, the others are recomputed in further transactions.
 * @param isNew runs first in the transaction. When it returns false, the fact was applied before and nothing changes
 * @returns objects that MRR needs and no fact describes; none for a fact that was applied before
 * @throws AppError `validation_failed` for an amount beyond exact numbers, `not_found` when the processor was disconnected
 * meanwhile; nothing is stored in these cases
 */
export async function applyFact(
  { db, log }: { db: Db; log: Log },
  connection: OpenConnection,
  fact: Fact,
  isNew: (tx: Transaction) => Promise<boolean>,
): Promise<Lookup[]> {
  const { siteNo, id: siteId } = connection.site
  const applied = await inProcessorTransaction(db, siteNo, async tx => {
    await lockConnection(tx, connection)
    return (await isNew(tx)) ? apply(tx, siteNo, fact) : undefined
  }).catch(error => {
    throw error instanceof RangeError ? invalidField('data.object', error.message) : error
  })
  if (!applied) return []
  if (applied.isMore) await recomputeSite({ db, log }, siteNo)
  if (applied.isCut)
    log.warn({ siteId, objectId: fact.objectId }, 'more is linked to a sale than is looked at')
  return applied.needed
}

async function apply(tx: Transaction, siteNo: number, fact: Fact) {
  const { subscriptionIds, attributed } = await storeFact(tx, siteNo, fact)
  const now = subscriptionIds.slice(0, MOST_AT_ONCE)
  const { needed, renewalsChanged } = await recomputeSubscriptions(tx, siteNo, now)
  await enqueueRecomputes(tx, siteNo, subscriptionIds.slice(MOST_AT_ONCE))
  const { objectId, saleIds } = fact
  const changedId = isOfSale(fact as AnyFact) ? objectId : undefined
  const isCut = saleIds.length > 0 && (await reconcilePayments(tx, { siteNo }, saleIds, changedId)).isCut
  await reconcileOtherSales(tx, siteNo, fact, renewalsChanged, attributed)
  return { needed, isMore: subscriptionIds.length > MOST_AT_ONCE, isCut }
}

/** Reconciles payments that became a renewal, or whose visitor became known. */
async function reconcileOtherSales(
  tx: Transaction,
  siteNo: number,
  fact: Fact,
  renewalsChanged: string[],
  attributed: Affected['attributed'],
): Promise<void> {
  const sales = new Map(renewalsChanged.map((id): [string, string[]] => [id, [id]]))
  if (attributed.subscriptionId ?? attributed.customerId) {
    for (const { objectId, saleIds } of await selectSales(tx, { siteNo, ...attributed })) {
      sales.set(objectId, saleIds)
    }
  }
  if (fact.saleIds.length > 0) sales.delete(fact.objectId)
  for (const ids of sales.values()) await reconcilePayments(tx, { siteNo }, ids)
}
