import type { Stripe } from 'stripe'
import { ZodError } from 'zod'
import { connectStripe, failureOf, isMissing, refusesAll, type StripeAccess } from './client.ts'
import type { Fact } from './event.ts'
import { Coupon, Price } from './objects.ts'
import { MOST_ITEMS, Subscription } from './subscription.ts'

export interface Undescribed {
  couponIds: string[]
  priceIds: string[]
  cut: CutSnapshot[]
}

/** An event that omits items of its subscription, or has only the ids of discounts. */
export interface CutSnapshot {
  subscriptionId: string
  eventId: string
  /** Unix milliseconds of the event. */
  at: number
}

export interface Described {
  /** Facts from the answers. */
  facts: Fact[]
  /** Ids that the processor does not have, or no longer has. */
  missing: string[]
  /** Ids whose request failed or was skipped, or whose answer cannot be read. */
  failed: string[]
  /** The subset of `failed` whose answer cannot be read. */
  unreadable: string[]
  /** Reason of the first failure. */
  failure: string | undefined
}

/**
 * Requests coupons, prices with their tiers and currencies, and items with discounts from the processor. Each is a separate
 * request, so that one failure does not affect the others.
 * @param undescribed objects to request
 */
export async function describe(access: StripeAccess, undescribed: Undescribed): Promise<Described> {
  const stripe = connectStripe(access)
  const readers = [
    ...undescribed.couponIds.map(id => ({ id, read: () => readCoupon(stripe, id) })),
    ...undescribed.priceIds.map(id => ({ id, read: () => readPrice(stripe, id) })),
    ...undescribed.cut.map(snapshot => ({
      id: snapshot.subscriptionId,
      read: () => readItems(stripe, snapshot),
    })),
  ]
  const described: Described = { facts: [], missing: [], failed: [], unreadable: [], failure: undefined }
  let isRefused = false
  for (const { id, read } of readers) {
    try {
      if (isRefused) described.failed.push(id)
      else described.facts.push(await read())
    } catch (error) {
      if (isMissing(error)) {
        described.missing.push(id)
        continue
      }
      described.failed.push(id)
      if (error instanceof ZodError) described.unreadable.push(id)
      described.failure ??= failureOf(error)
      isRefused = refusesAll(error)
    }
  }
  return described
}

async function readCoupon(stripe: Stripe, id: string): Promise<Fact<'coupon'>> {
  const coupon = await stripe.coupons.retrieve(id, { expand: ['applies_to', 'currency_options'] })
  const body = Coupon.parse(coupon)
  // Both fields were requested with `expand`: if one is absent, the coupon does not have it.
  return {
    ...found(id),
    kind: 'coupon',
    body: { ...body, hasAllCurrencies: true, products: body.products ?? null },
  }
}

async function readPrice(stripe: Stripe, id: string): Promise<Fact<'price'>> {
  const ask = (...more: string[]) =>
    stripe.prices.retrieve(id, { expand: ['tiers', 'currency_options', ...more] })
  let given = await ask()
  const currencies = Object.keys(given.currency_options ?? {})
  if (given.billing_scheme === 'tiered' && currencies.length > 0) {
    given = await ask(...currencies.map(currency => `currency_options.${currency}.tiers`))
  }
  const price = Price.parse(plain(given))
  // All fields were requested with `expand`: if one is absent, the price does not have it.
  const options = Object.entries(price.options ?? {}).map(([currency, { unitAmount, tiers }]) => [
    currency,
    { unitAmount, tiers: tiers ?? [] },
  ])
  return {
    ...found(id),
    kind: 'price',
    body: { ...price, tiers: price.tiers ?? [], options: Object.fromEntries(options) },
  }
}

async function readItems(stripe: Stripe, snapshot: CutSnapshot): Promise<Fact<'items'>> {
  const { subscriptionId, eventId, at } = snapshot
  const given = await stripe.subscriptions.retrieve(subscriptionId, {
    expand: ['discounts', 'items.data.discounts'],
  })
  const { items, discounts } = Subscription.parse(plain(await withAllItems(stripe, given))).state
  return {
    ...found(subscriptionId),
    eventId: `lookup/${subscriptionId}/${eventId}`,
    at: new Date(at),
    kind: 'items',
    subscriptionId,
    body: { of: eventId, items, discounts: discounts ?? [] },
  }
}

/** Returns a subscription with the items that its list omits. Stops above MOST_ITEMS, which the schema then rejects. */
export async function withAllItems(stripe: Stripe, given: Stripe.Subscription): Promise<object> {
  if (!given.items.has_more) return given
  const data: Stripe.SubscriptionItem[] = []
  const items = stripe.subscriptionItems.list({
    subscription: given.id,
    limit: 100,
    expand: ['data.discounts'],
  })
  for await (const item of items) if (data.push(item) > MOST_ITEMS) break
  return { ...given, items: { data, has_more: false } }
}

/** Converts decimals to text as in payloads: Stripe's package represents them as objects. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const found = (id: string) => ({
  eventId: `lookup/${id}`,
  // The terms of coupons and prices never change, so the time of the lookup does not matter.
  at: new Date(0),
  objectId: id,
  subscriptionId: null,
  customerId: null,
  saleIds: [],
  visitorId: null,
})
