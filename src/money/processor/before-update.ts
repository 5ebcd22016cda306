import { Discount, type Listed } from './objects.ts'
import { Subscription, type SubscriptionState } from './subscription-object.ts'

// Events of one second have no order but what each says of the time before it, in `previous_attributes`.

/** What matters of a subscription or a discount, each part as text: two with equal parts are the same. */
export type Parts = Record<string, string>

const idOf = (listed: Listed) => (typeof listed === 'string' ? listed : listed.id)
const idsOf = (discounts: readonly Listed[]) => discounts.map(idOf).sort().join(' ')

export const partsOfSubscription = (state: SubscriptionState): Parts => ({
  status: state.status,
  currency: state.currency,
  isEnding: String(state.isEnding),
  items: state.items
    .map(({ id, price, quantity, discounts }) => `${id} ${price?.id} ${quantity} ${idsOf(discounts)}`)
    .sort()
    .join('\n'),
  discounts: idsOf(state.discounts ?? []),
})

export const partsOfDiscount = ({ id, coupon }: Discount): Parts => ({
  id: String(id),
  coupon: String(typeof coupon === 'string' ? coupon : coupon?.id),
})

/** In how many parts two differ. */
export const differences = (a: Parts, b: Parts): number =>
  Object.keys(b).filter(part => a[part] !== b[part]).length

/**
 * Returns what a subscription was before an update.
 * @param given the subscription after the update
 * @param previous `previous_attributes` of the event
 * @returns undefined when the event does not say it
 */
export function subscriptionBefore(given: unknown, previous: unknown): Parts | undefined {
  if (!isObject(previous) || !isObject(given)) return undefined
  const merged = mergedInto(given, previous) as { items?: { data?: unknown } }
  const { items } = merged
  const data = items?.data
  // Fields of the only item are fields of the subscription, too.
  const only = Array.isArray(data) && data.length === 1 && previous.items === undefined ? data[0] : undefined
  if (isObject(only)) {
    const { quantity, plan } = previous
    const own = { ...('quantity' in previous && { quantity }), ...(isObject(plan) && { plan }) }
    const item = withPlan(mergedInto(only, own), own)
    Object.assign(merged, { items: { ...items, data: [item] } })
  }
  const before = Subscription.safeParse(merged)
  return before.success ? partsOfSubscription(before.data.state) : undefined
}

/** Returns what a discount was before an update; undefined when the event does not say it. */
export function discountBefore(given: unknown, previous: unknown): Parts | undefined {
  if (!isObject(previous)) return undefined
  const before = Discount.safeParse(mergedInto(given, previous)).data
  return before ? partsOfDiscount(before) : undefined
}

type Given = Record<string, unknown>
const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Puts previous values in the place of present ones. Elements of a list are matched by their ids; the list has the previous ones. */
function mergedInto(now: unknown, previous: unknown): unknown {
  if (Array.isArray(previous)) {
    return previous.map(each => {
      const same = isObject(each) && Array.isArray(now) ? now.find(other => other?.id === each.id) : undefined
      return withPlan(mergedInto(same, each), each)
    })
  }
  if (!isObject(now) || !isObject(previous)) return previous
  const changed = Object.entries(previous).map(([key, value]) => [key, mergedInto(now[key], value)])
  return { ...now, ...Object.fromEntries(changed) }
}

/** An item has a price and its plan: where only the previous plan is given, the present price is another. */
const withPlan = (merged: unknown, previous: unknown): Given =>
  isObject(previous) && isObject(previous.plan) && previous.price === undefined
    ? { ...(merged as Given), price: null }
    : (merged as Given)
