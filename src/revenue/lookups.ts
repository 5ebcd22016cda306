import { type Queryable, statement, type Transaction } from '../infra/db.ts'
import type { Described, Undescribed } from './stripe/lookup.ts'

const insertLookups = statement('insert-lookups')
const insertCutLookup = statement('insert-cut-lookup')
const selectLookups = statement<Lookup>('select-lookups')
const postponeLookups = statement('postpone-lookups')
const deleteLookup = statement('delete-lookup')

type Lookup =
  | { id: string; of: 'coupon' | 'price' }
  | { id: string; of: 'items'; eventId: string; eventAt: number }

/** What the processor does not have, it will hardly have soon: a new coupon of an old id is told by an event. */
const MISSING_S = 3600
/** So that a processor that is down is not asked by every event of the site. */
const FAILED_S = 60
/** Stripe waits for the answer to its event; what is left over is asked for at the next one. */
const MOST_AT_ONCE = 20

/** Under which the processor is asked. */
export const idsOf = ({ couponIds, priceIds, cut }: Undescribed): string[] => [
  ...couponIds,
  ...priceIds,
  ...cut.map(({ subscriptionId }) => subscriptionId),
]

/** Notes, with the event that needs them, what must be asked for. */
export async function noteLookups(tx: Transaction, siteNo: number, undescribed: Undescribed): Promise<void> {
  const { couponIds, priceIds, cut } = undescribed
  if (couponIds.length > 0) await insertLookups(tx, siteNo, 'coupon', couponIds)
  if (priceIds.length > 0) await insertLookups(tx, siteNo, 'price', priceIds)
  for (const { subscriptionId, eventId, at } of cut) {
    await insertCutLookup(tx, siteNo, subscriptionId, eventId, at)
  }
}

/**
 * What is to be asked for now: what was asked for in vain a while ago, or never because something else failed.
 * @param wanted asked for even if it failed a moment ago, unless the processor does not have it
 */
export async function selectDue(db: Queryable, siteNo: number, wanted: Undescribed): Promise<Undescribed> {
  const due = await selectLookups(db, siteNo, idsOf(wanted), MOST_AT_ONCE)
  const ofKind = (kind: string) => due.filter(each => each.of === kind).map(({ id }) => id)
  return {
    couponIds: ofKind('coupon'),
    priceIds: ofKind('price'),
    cut: due.flatMap(each =>
      each.of === 'items' ? [{ subscriptionId: each.id, eventId: each.eventId, at: each.eventAt }] : [],
    ),
  }
}

/** Keeps in mind what was asked for in vain, to ask again later. */
export async function postpone(
  db: Queryable,
  siteNo: number,
  { missing, failed }: Pick<Described, 'missing' | 'failed'>,
): Promise<void> {
  if (missing.length > 0) await postponeLookups(db, siteNo, missing, true, MISSING_S)
  if (failed.length > 0) await postponeLookups(db, siteNo, failed, false, FAILED_S)
}

/** What was asked for is known. */
export async function forgetLookup(tx: Transaction, siteNo: number, id: string): Promise<void> {
  await deleteLookup(tx, siteNo, id)
}
