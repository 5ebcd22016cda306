import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { reconcileMrr } from '../../../src/revenue/subscriptions/reconcile-mrr.ts'
import { type Api, startApi } from '../../support/api.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  coupon,
  deliverAll,
  discount,
  event,
  item,
  type Json,
  netMovements,
  onDay,
  openShop,
  price,
  subscription,
} from '../../support/stripe.ts'
import { type StripeApi, startStripeApi } from '../../support/stripe-api.ts'

let stripe: StripeApi
let api: Api
const logged = recordingLog()
beforeAll(async () => {
  stripe = await startStripeApi()
  api = await startApi({ config: { stripeApiBase: stripe.url }, log: logged.log })
})
afterAll(async () => {
  await api.close()
  await stripe.close()
})
beforeEach(() => {
  stripe.clear()
  logged.lines.length = 0
})

const KEY = { apiKey: 'rk_test_good' }
const change = (name: string, object: Json, day: number) =>
  event(`customer.subscription.${name}`, object, onDay(day))

/** Registers a subscription with the Stripe stub. Returns it, and its form in events since 2025-03: discounts are ids. */
function discounted(ofSubscription: number[], ofItem: number[] = []) {
  const coupons = (percents: number[]) => percents.map(percent_off => coupon({ percent_off }))
  const [own, items] = [coupons(ofSubscription), coupons(ofItem)]
  const only = item(price(4000), { discounts: items.map(each => discount(each.id)) })
  const known = subscription({ items: [only], discounts: own.map(each => discount(each.id)) })
  const idsOf = (discounts: Json[]) => discounts.map(({ id }) => id)
  const told = {
    ...known,
    discounts: idsOf(known.discounts),
    items: { ...known.items, data: [{ ...only, discounts: idsOf(only.discounts) }] },
  }
  stripe.objects.set(`subscriptions/${known.id}`, known)
  for (const each of [...own, ...items]) stripe.objects.set(`coupons/${each.id}`, each)
  return { known, told }
}

test('discounts: unknown ids are looked up once, with their coupons', async () => {
  const shop = await openShop(api, KEY)
  const { known, told } = discounted([25], [50])
  await deliverAll(shop, [change('created', told, 1)])
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
  expect(stripe.asked[0]).toBe(`subscriptions/${known.id}?expand[0]=discounts&expand[1]=items.data.discounts`)
  const asked = stripe.asked.length
  await deliverAll(shop, [change('updated', { ...told, cancel_at_period_end: true }, 2)])
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
  expect(stripe.asked).toHaveLength(asked)
  stripe.objects.set('subscriptions', [known])
  expect(await reconcileMrr(api.services, shop.siteId)).toMatchObject({ ours: 1500, drift: [] })
})

test('discounts: an id known from an event is not looked up', async () => {
  const shop = await openShop(api, KEY)
  const { known, told } = discounted([25])
  const whole = { ...known.discounts[0], source: undefined, coupon: coupon({ percent_off: 25 }) }
  await deliverAll(shop, [
    event('customer.discount.created', { ...whole, subscription: known.id }, onDay(1)),
    change('created', told, 1),
  ])
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 3000 })
  expect(stripe.asked).toEqual([])
})

test('discounts: an id that Stripe no longer lists counts as nothing and is looked up once per event', async () => {
  const shop = await openShop(api, KEY)
  const { known, told } = discounted([25])
  stripe.objects.set(`subscriptions/${known.id}`, { ...known, discounts: [] })
  const first = change('created', told, 1)
  await deliverAll(shop, [first, first])
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 4000 })
  expect(stripe.asked).toHaveLength(1)
})

test('discounts: without a key, unknown ids count as no discount, and a warning is logged', async () => {
  const shop = await openShop(api)
  const { known, told } = discounted([25])
  await deliverAll(shop, [change('created', told, 1)])
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 4000 })
  expect(JSON.stringify(logged.lines)).toContain(known.id)
})

test('discounts: ids of a subscription that does not count are not looked up', async () => {
  const shop = await openShop(api, KEY)
  const { told } = discounted([25])
  await deliverAll(shop, [change('created', { ...told, status: 'trialing' }, 1)])
  expect(stripe.asked).toEqual([])
})
