import { AppError } from '../errors.ts'
import { type Db, statement, type Transaction } from '../infra/db.ts'
import type { Log } from '../infra/log.ts'
import { type Kept, keepSubscription } from './keep-subscription.ts'
import { noteLookups } from './lookups.ts'
import { inTurn, lockProcessor } from './processor-lock.ts'
import { settleSale } from './settle-sale.ts'
import type { Undescribed } from './stripe/lookup.ts'
import { transact } from './transact.ts'

const insertStale = statement('enqueue-recomputes')
const selectStale = statement<{ subscriptionId: string }>('select-recompute-queue')
const deleteStale = statement('dequeue-recomputes')
const selectStaleSites = statement<{ siteNo: number }>('select-sites-to-recompute')
const selectLiveSites = statement<{ siteNo: number }>('select-live-sites')

/** Most subscriptions that one transaction recomputes: other events of the site wait for it. */
export const MOST_AT_ONCE = 50
/** Time limit of one call: Stripe waits for the response, and other scheduled jobs wait for their turn. */
const BUDGET_MS = 2_000

/** Recomputes subscriptions, and stores the lookups that an exact MRR needs. */
export async function keepSubscriptions(
  tx: Transaction,
  siteNo: number,
  subscriptionIds: readonly string[],
): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const id of subscriptionIds) kept.push(await keepSubscription(tx, siteNo, id))
  await noteLookups(tx, siteNo, undescribedIn(kept))
  return kept
}

export const undescribedIn = (kept: Kept[]): Undescribed => ({
  couponIds: [...new Set(kept.flatMap(({ life }) => life.undescribed.couponIds))],
  priceIds: [...new Set(kept.flatMap(({ life }) => life.undescribed.priceIds))],
  cut: kept.flatMap(({ life }) => life.undescribed.cut),
})

/** Adds subscriptions to the recompute queue. */
export async function reworkLater(tx: Transaction, siteNo: number, subscriptionIds: readonly string[]) {
  if (subscriptionIds.length > 0) await insertStale(tx, siteNo, subscriptionIds)
}

/**
 * Recomputes the subscriptions of a site in the recompute queue, for up to two seconds. Each batch leaves the queue in the
 * transaction that recomputes it, so that an interruption loses no subscription.
 * @returns whether the queue has more of the site
 */
export async function reworkSite({ db, log }: { db: Db; log: Log }, siteNo: number): Promise<boolean> {
  const endsAt = performance.now() + BUDGET_MS
  for (let most = MOST_AT_ONCE; performance.now() < endsAt; ) {
    let ids: string[] = []
    const run = async (tx: Transaction) => {
      ids = await takeStale(tx, siteNo, most)
      await rework(tx, siteNo, ids)
    }
    try {
      await inTurn(siteNo, () => transact(db, run))
      if (ids.length < most) return false
      most = Math.min(MOST_AT_ONCE, most * 2)
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof AppError)) throw error
      // One subscription of the batch cannot be computed. Halve the batch until only that one is left, then drop it.
      if (most === 1) {
        log.warn({ siteNo, subscriptionIds: ids, reason: error.message }, 'MRR cannot be worked out')
        await deleteStale(db, siteNo, ids)
      }
      most = Math.ceil(most / 2)
    }
  }
  return true
}

async function takeStale(tx: Transaction, siteNo: number, most: number): Promise<string[]> {
  await lockProcessor(tx, siteNo)
  const live = await selectLiveSites(tx, [siteNo])
  const rows = live.length > 0 ? await selectStale(tx, siteNo, most) : []
  return rows.map(({ subscriptionId }) => subscriptionId)
}

async function rework(tx: Transaction, siteNo: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const kept = await keepSubscriptions(tx, siteNo, ids)
  for (const id of kept.flatMap(({ reconsidered }) => reconsidered)) {
    await settleSale(tx, { siteNo }, [id])
  }
  await deleteStale(tx, siteNo, ids)
}

/**
 * Runs `reworkSite` for all sites with subscriptions in the recompute queue. They remain there after an interruption or when
 * the time limit was reached. A failure of one site does not stop the others.
 * @returns whether more work can be done at once
 * @throws the first failure, after all other sites are done
 */
export async function reworkAll(services: { db: Db; log: Log }): Promise<boolean> {
  let isMore = false
  const failures: unknown[] = []
  for (const { siteNo } of await selectStaleSites(services.db)) {
    try {
      if (await reworkSite(services, siteNo)) isMore = true
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return isMore
}
