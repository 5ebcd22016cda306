import { AppError } from '../errors.ts'
import { type Db, statement, type Transaction } from '../infra/db.ts'
import type { Log } from '../infra/log.ts'
import { type Kept, keepSubscription } from './keep-subscription.ts'
import { noteLookups } from './lookups.ts'
import { inTurn, lockProcessor } from './processor-lock.ts'
import { settleSale } from './settle-sale.ts'
import type { Undescribed } from './stripe/lookup.ts'
import { transact } from './transact.ts'

const insertStale = statement('insert-stale-subscriptions')
const selectStale = statement<{ subscriptionId: string }>('select-stale-subscriptions')
const deleteStale = statement('delete-stale-subscriptions')
const selectStaleSites = statement<{ siteNo: number }>('select-stale-sites')
const selectLiveSites = statement<{ siteNo: number }>('select-live-sites')

/** Subscriptions that one transaction works out anew: other events of the site wait for it. */
export const MOST_AT_ONCE = 50
/** What a call may take: Stripe waits for an answer, the other scheduled jobs for their turn. */
const BUDGET_MS = 2_000

/** Brings subscriptions in line, and notes what must be asked for to do so exactly. */
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

/** Puts subscriptions on the list of those that `reworkSite` brings in line. */
export async function reworkLater(tx: Transaction, siteNo: number, subscriptionIds: readonly string[]) {
  if (subscriptionIds.length > 0) await insertStale(tx, siteNo, subscriptionIds)
}

/**
 * Brings the subscriptions of a site in line that are on the list, for two seconds. Each batch leaves the list in the
 * transaction that is done with it, so that nothing is left out wherever this is cut off.
 * @returns whether there are more
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
      // One of them cannot be worked out. It is closed in on until it is alone, and passed over.
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
 * The same for all sites, for what a process left that was cut off or had too much to do. A site that fails keeps no other
 * waiting.
 * @returns whether there is more to do at once
 * @throws the first failure, when all others are done
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
