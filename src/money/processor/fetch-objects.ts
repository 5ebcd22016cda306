import type { Stripe } from 'stripe'
import { ZodError } from 'zod'
import { type Fact, UNLINKED } from './event.ts'
import { Coupon, Price } from './objects.ts'
import { connectStripe, failureOf, isMissing, refusesAll, type StripeAccess } from './stripe.ts'
import { MOST_ITEMS, Subscription } from './subscription-object.ts'

/** An object to request from the processor. */
export type Lookup =
  | { of: 'coupon' | 'price'; id: string }
  /** Items of a subscription that its event omits, or whose discounts it has only as ids. `eventAt`: Unix milliseconds. */
  | { of: 'items'; id: string; eventId: string; eventAt: number }

const ORDER: Lookup['of'][] = ['coupon', 'price', 'items']

export interface FetchedObjects {
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
 */
export async function fetchObjects(
  access: StripeAccess,
  lookups: readonly Lookup[],
): Promise<FetchedObjects> {
  const stripe = connectStripe(access)
  const fetched: FetchedObjects = { facts: [], missing: [], failed: [], unreadable: [], failure: undefined }
  let isRefused = false
  for (const lookup of lookups.toSorted((a, b) => ORDER.indexOf(a.of) - ORDER.indexOf(b.of))) {
    const { id } = lookup
    try {
      if (isRefused) fetched.failed.push(id)
      else fetched.facts.push(await lookUp(stripe, lookup))
    } catch (error) {
      if (isMissing(error)) {
        fetched.missing.push(id)
        continue
      }
      fetched.failed.push(id)
      if (error instanceof ZodError) fetched.unreadable.push(id)
      fetched.failure ??= failureOf(error)
      isRefused = refusesAll(error)
    }
  }
  return fetched
}

function lookUp(stripe: Stripe, lookup: Lookup): Promise<Fact> {
  if (lookup.of === 'items') return readItems(stripe, lookup)
  return lookup.of === 'coupon' ? readCoupon(stripe, lookup.id) : readPrice(stripe, lookup.id)
}

async function readCoupon(stripe: Stripe, id: string): Promise<Fact<'coupon'>> {
  const coupon = await stripe.coupons.retrieve(id, { expand: ['applies_to', 'currency_options'] })
  const body = Coupon.parse(coupon)
  // Both fields were requested with `expand`: if one is absent, the coupon does not have it.
  return {
    ...lookedUp(id),
    kind: 'coupon',
    body: { ...body, hasAllCurrencies: true, products: body.products ?? null },
  }
}

async function readPrice(stripe: Stripe, id: string): Promise<Fact<'price'>> {
  const retrieve = (...more: string[]) =>
    stripe.prices.retrieve(id, { expand: ['tiers', 'currency_options', ...more] })
  let given = await retrieve()
  const currencies = Object.keys(given.currency_options ?? {})
  if (given.billing_scheme === 'tiered' && currencies.length > 0) {
    given = await retrieve(...currencies.map(currency => `currency_options.${currency}.tiers`))
  }
  const price = Price.parse(plain(given))
  // All fields were requested with `expand`: if one is absent, the price does not have it.
  const options = Object.entries(price.options ?? {}).map(([currency, { unitAmount, tiers }]) => [
    currency,
    { unitAmount, tiers: tiers ?? [] },
  ])
  return {
    ...lookedUp(id),
    kind: 'price',
    body: { ...price, tiers: price.tiers ?? [], options: Object.fromEntries(options) },
  }
}

async function readItems(
  stripe: Stripe,
  { id, eventId, eventAt }: Extract<Lookup, { of: 'items' }>,
): Promise<Fact<'items'>> {
  const given = await stripe.subscriptions.retrieve(id, {
    expand: ['discounts', 'items.data.discounts'],
  })
  const { items, discounts } = Subscription.parse(plain(await withAllItems(stripe, given))).state
  return {
    ...lookedUp(id),
    eventId: `lookup/${id}/${eventId}`,
    at: new Date(eventAt),
    kind: 'items',
    subscriptionId: id,
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

/** Id of the fact of a coupon or price: the newest answer replaces the one before. */
export const lookedUpId = (id: string) => `lookup/${id}`

const lookedUp = (id: string) => ({
  ...UNLINKED,
  eventId: lookedUpId(id),
  // The terms of coupons and prices never change, so the time of the lookup does not matter.
  at: new Date(0),
  objectId: id,
})
