import { type AnyFact, byTime } from '../processor/facts.ts'
import type { Coupon, Discount, Listed, Price } from '../processor/objects.ts'
import type { PastInvoice } from '../processor/past-objects.ts'
import type { Item } from '../processor/subscription-object.ts'
import { couponOf, type Definitions, joinCoupon } from './mrr.ts'
import { pricesIn } from './past-states.ts'

/**
 * Returns the ids of all coupons in the facts, whole or by id, and of the prices whose payload can lack terms: tiers, or an
 * amount in the currency of the subscription.
 */
export function namedIn(facts: readonly AnyFact[]): string[] {
  const ids = new Set<string>()
  const add = (listed: Listed) => {
    if (typeof listed === 'string' || !listed.coupon) return
    ids.add(typeof listed.coupon === 'string' ? listed.coupon : listed.coupon.id)
  }
  for (const fact of facts) {
    discountsIn(fact).forEach(add)
    for (const { price } of itemsIn(fact)) {
      const currency = currencyOf(fact)
      if (price && dependsOnMore(price, currency)) ids.add(price.id)
    }
  }
  return [...new Set([...ids, ...pricesIn(facts)])]
}

function currencyOf(fact: AnyFact): string | null {
  if (fact.kind === 'origin') return fact.body.state.currency
  return fact.kind === 'subscription' ? fact.body.currency : null
}

const dependsOnMore = (price: Price, currency: string | null) =>
  (price.isTiered && !price.tiers) || price.currency !== currency

/** A state, or the answer of a lookup. */
function stateIn(fact: AnyFact): { items: Item[]; discounts: Listed[] | null } | undefined {
  if (fact.kind === 'origin') return fact.body.state
  return fact.kind === 'subscription' || fact.kind === 'items' ? fact.body : undefined
}

const itemsIn = (fact: AnyFact): Item[] => stateIn(fact)?.items ?? []

function discountsIn(fact: AnyFact): Listed[] {
  if (fact.kind === 'discount') return [fact.body.discount]
  if (fact.kind === 'invoice') return pastDiscountsIn(fact.body.past)
  return [...(stateIn(fact)?.discounts ?? []), ...itemsIn(fact).flatMap(item => item.discounts)]
}

const pastDiscountsIn = (past: PastInvoice | undefined): Listed[] =>
  past
    ? [...past.discounts.map(({ discount }) => discount), ...past.lines.flatMap(({ discounts }) => discounts)]
    : []

/** Collects definitions. Of each discount the first description in time applies until a discount event replaces it. */
export function collectDefinitions(
  facts: readonly AnyFact[],
  described: readonly AnyFact[],
): Definitions & { discounts: Map<string, Discount> } {
  const discounts = new Map<string, Discount>()
  const add = (listed: Listed) => {
    if (typeof listed === 'string' || listed.id === null) return
    if (!discounts.has(listed.id)) discounts.set(listed.id, listed)
  }
  for (const fact of [...facts].sort(byTime)) discountsIn(fact).forEach(add)
  return { discounts, ...describedIn(described) }
}

/**
 * Returns the coupons and prices that the facts describe. A later fact of a price replaces the earlier one; a later fact of
 * a coupon is merged into it.
 */
export function describedIn(facts: readonly AnyFact[]): Pick<Definitions, 'coupons' | 'prices'> {
  const coupons = new Map<string, Coupon>()
  const prices = new Map<string, Price>()
  for (const fact of facts) {
    if (fact.kind === 'coupon') coupons.set(fact.objectId, joinCoupon(coupons.get(fact.objectId), fact.body))
    if (fact.kind === 'price') prices.set(fact.objectId, fact.body)
  }
  return { coupons, prices }
}

/** Returns the ids of coupons whose discount is not fully known. MRR uses only their known part. */
export function couponsWithoutTerms(
  items: readonly Item[],
  discounts: readonly Listed[],
  currency: string,
  definitions: Definitions,
): string[] {
  const products = new Set(
    items.flatMap(({ price }) => (price?.recurring?.usage === 'licensed' ? [price.product] : [])),
  )
  const lacking = (listed: Listed, of: number) => {
    const discount = typeof listed === 'string' ? definitions.discounts.get(listed) : listed
    const named = discount?.coupon
    if (!named) return []
    const coupon = couponOf(listed, definitions)
    const isKnown = coupon && !lacksTerms(coupon, currency, of)
    return isKnown ? [] : [typeof named === 'string' ? named : named.id]
  }
  return [
    ...discounts.flatMap(listed => lacking(listed, products.size)),
    ...items.flatMap(item => item.discounts.flatMap(listed => lacking(listed, 1))),
  ]
}

/**
 * Whether the coupon's products matter and are unknown, or its amount in this currency is unknown. Payloads omit both; only
 * a lookup returns them.
 */
function lacksTerms(coupon: Coupon, currency: string, products: number): boolean {
  if (coupon.duration !== 'forever') return false
  const lacksAmount = coupon.percentOff === null && coupon.amountsOff[currency] === undefined
  return (products > 1 && coupon.products === undefined) || (lacksAmount && !coupon.hasAllCurrencies)
}
