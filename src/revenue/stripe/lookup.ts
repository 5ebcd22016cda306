import { connectStripe, failureOf, type StripeAccess } from './client.ts'
import type { Fact } from './event.ts'
import { Coupon, Price } from './objects.ts'

export interface Undescribed {
  couponIds: string[]
  priceIds: string[]
}

/**
 * Asks for coupons, and for prices with their tiers.
 * @returns what was found, as facts; `failure` says why something was not
 */
export async function describe(
  access: StripeAccess,
  { couponIds, priceIds }: Undescribed,
): Promise<{ facts: Fact[]; failure: string | undefined }> {
  const stripe = connectStripe(access)
  const facts: Fact[] = []
  try {
    for (const id of couponIds) {
      const coupon = await stripe.coupons.retrieve(id, { expand: ['applies_to', 'currency_options'] })
      facts.push({ ...found(id), kind: 'coupon', body: Coupon.parse(coupon) })
    }
    for (const id of priceIds) {
      const price = await stripe.prices.retrieve(id, { expand: ['tiers'] })
      facts.push({ ...found(id), kind: 'price', body: Price.parse(plain(price)) })
    }
    return { facts, failure: undefined }
  } catch (error) {
    return { facts, failure: failureOf(error) }
  }
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
