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

/** An event that does not hold all items of its subscription, or discounts by their ids alone. */
export interface CutSnapshot {
  subscriptionId: string
  eventId: string
  /** Unix milliseconds of the event. */
  at: number
}

export interface Described {
  /** What was found. */
  facts: Fact[]
  /** Ids that the processor does not have (any more). */
  missing: string[]
  /** Ids that could not be asked for, or whose answer cannot be read. */
  failed: string[]
  /** Those of them whose answer cannot be read. */
  unreadable: string[]
  /** Why the first of them failed. */
  failure: string | undefined
}

/**
 * Asks for coupons, prices with their tiers and currencies, and items with discounts; each by itself, so that one that
 * fails costs no other.
 * @param undescribed what to ask for
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
  // Both were asked for: what is absent even so, the coupon does not have.
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
  // All was asked for: what is absent even so, the price does not have.
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

/** A subscription with the items that the list in it leaves out, though not more than are read. */
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

/** Stripe's package makes objects of decimals; the payloads have text. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const found = (id: string) => ({
  eventId: `lookup/${id}`,
  // What coupons and prices are never changes, so that when it was asked for does not matter.
  at: new Date(0),
  objectId: id,
  subscriptionId: null,
  customerId: null,
  saleIds: [],
  visitorId: null,
})
