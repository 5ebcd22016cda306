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

/** An object that the processor does not have is unlikely to appear soon: an event reports a new coupon with an old id. */
const MISSING_S = 3600
/** Without this pause, every event of the site would send requests to a processor that is down. */
const FAILED_S = 60
/** Stripe waits for the response to its event, so one event makes at most 20 lookups. The next event makes the others. */
const MOST_AT_ONCE = 20

/** Ids of the objects to request from the processor's API. */
export const idsOf = ({ couponIds, priceIds, cut }: Undescribed): string[] => [
  ...couponIds,
  ...priceIds,
  ...cut.map(({ subscriptionId }) => subscriptionId),
]

/** Stores the lookups that an event needs, in the transaction of that event. */
export async function noteLookups(tx: Transaction, siteNo: number, undescribed: Undescribed): Promise<void> {
  const { couponIds, priceIds, cut } = undescribed
  if (couponIds.length > 0) await insertLookups(tx, siteNo, 'coupon', couponIds)
  if (priceIds.length > 0) await insertLookups(tx, siteNo, 'price', priceIds)
  for (const { subscriptionId, eventId, at } of cut) {
    await insertCutLookup(tx, siteNo, subscriptionId, eventId, at)
  }
}

/**
 * Returns the lookups to make now: those that failed some time ago, and those that an earlier failure prevented.
 * @param wanted lookups to make even if they failed a moment ago, unless the processor does not have the object
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

/** Schedules the next attempt of lookups without an answer. */
export async function postpone(
  db: Queryable,
  siteNo: number,
  { missing, failed }: Pick<Described, 'missing' | 'failed'>,
): Promise<void> {
  if (missing.length > 0) await postponeLookups(db, siteNo, missing, true, MISSING_S)
  if (failed.length > 0) await postponeLookups(db, siteNo, failed, false, FAILED_S)
}

/** Deletes a lookup that has its answer. */
export async function forgetLookup(tx: Transaction, siteNo: number, id: string): Promise<void> {
  await deleteLookup(tx, siteNo, id)
}
