import { type Queryable, statement, type Transaction } from '../infra/db.ts'
import type { Described, Undescribed } from './stripe/lookup.ts'

const insertLookups = statement('insert-lookups')
const selectLookups = statement<{ id: string; of: 'coupon' | 'price' }>('select-lookups')
const postponeLookups = statement('postpone-lookups')
const deleteLookup = statement('delete-lookup')

/** What the processor does not have, it will hardly have soon: a new coupon of an old id is told by an event. */
const MISSING_S = 3600
/** So that a processor that is down is not asked by every event of the site. */
const FAILED_S = 60
/** Stripe waits for the answer to its event; what is left over is asked for at the next one. */
const MOST_AT_ONCE = 20

/** Notes, with the event that needs them, what must be asked for. */
export async function noteLookups(tx: Transaction, siteNo: number, undescribed: Undescribed): Promise<void> {
  const { couponIds, priceIds } = undescribed
  if (couponIds.length > 0) await insertLookups(tx, siteNo, 'coupon', couponIds)
  if (priceIds.length > 0) await insertLookups(tx, siteNo, 'price', priceIds)
}

/**
 * What is to be asked for now: what was asked for in vain a while ago, or never because something else failed.
 * @param wanted asked for even if it failed a moment ago, unless the processor does not have it
 */
export async function selectDue(db: Queryable, siteNo: number, wanted: Undescribed): Promise<Undescribed> {
  const ids = [...wanted.couponIds, ...wanted.priceIds]
  const due = await selectLookups(db, siteNo, ids, MOST_AT_ONCE)
  const idsOf = (kind: string) => due.filter(each => each.of === kind).map(({ id }) => id)
  return { couponIds: idsOf('coupon'), priceIds: idsOf('price') }
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
