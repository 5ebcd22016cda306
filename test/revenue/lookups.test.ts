import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { reconcileMrr } from '../../src/revenue/subscriptions/reconcile-mrr.ts'
import { type Api, startApi } from '../support/api.ts'
import { recordingLog } from '../support/recording-log.ts'
import {
  connect,
  coupon,
  deliver,
  deliverAll,
  discount,
  event,
  item,
  type Json,
  netMovements,
  onDay,
  openShop,
  price,
  type Shop,
  subscription,
  tieredPrice,
} from '../support/stripe.ts'
import { type StripeApi, startStripeApi } from '../support/stripe-api.ts'

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
beforeEach(() => stripe.clear())

const KEY = { apiKey: 'rk_test_good' }
const created = (object: Parameters<typeof event>[1], day = 1) =>
  event('customer.subscription.created', object, onDay(day))
const compare = (siteId: string) => reconcileMrr(api.services, siteId)

const intent = { id: 'pi_1', object: 'payment_intent', customer: null, metadata: {}, latest_charge: 'ch_1' }

/** Moves all lookups of the shop back in time by the interval; in UTC, since Citus takes only immutable functions here. */
async function pass({ siteNo }: Shop, interval: string): Promise<void> {
  await api.services.db`
    update processor_facts
    set at = (at at time zone 'UTC' - ${interval}::text::interval) at time zone 'UTC'
    where site_no = ${siteNo} and kind = 'lookup'`
}

describe('lookups', () => {
  test('data that an event omits is looked up once when there is a key', async () => {
    const shop = await openShop(api, KEY)
    const { tiers, bare } = tieredPrice()
    const third = coupon({ percent_off: 30 })
    stripe.objects.set(`prices/${bare.id}`, tiers)
    stripe.objects.set(`coupons/${third.id}`, third)
    const base = subscription({ items: [item(bare, { quantity: 4 })], discounts: [discount(third.id)] })
    await deliverAll(shop, [created(base)])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1400 })
    await deliverAll(shop, [
      event('customer.subscription.updated', { ...base, cancel_at_period_end: true }, onDay(2)),
    ])
    expect(stripe.asked).toHaveLength(2)
  })

  test.each([
    ['there is no key', {}],
    ['the key is wrong', { apiKey: 'rk_bad' }],
    ['there is no such price', KEY],
  ])('omitted data counts as nothing and is logged while %s', async (_why, key) => {
    const shop = await openShop(api, key)
    const { bare, tiers } = tieredPrice()
    const base = subscription({ items: [item(bare, { quantity: 4 }), item(price(100))] })
    logged.lines.length = 0
    expect((await deliver(shop, created(base))).status).toBe(200)
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 100 })
    expect(JSON.stringify(logged.lines)).toContain('MRR is not exact')
    expect(JSON.stringify(logged.lines)).not.toContain('rk_')
    if (key !== KEY) return
    stripe.objects.set(`prices/${bare.id}`, tiers)
    await pass(shop, '61 minutes')
    await deliverAll(shop, [event('customer.subscription.updated', base, onDay(3))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 2100 })
  })

  test.each([
    ['an event', true, 1],
    ['an import alone', false, 0],
  ])('the answer to a lookup of %s is announced: %s', async (_, isNews, count) => {
    const shop = await openShop(api, KEY)
    const { db } = api.services
    await api.call('POST', `/api/sites/${shop.siteId}/webhooks`, {
      ...shop.member,
      body: { name: 'Receiver', url: 'https://example.com/hook', kinds: ['subscription.upgraded'] },
    })
    await db`update webhook_endpoints set active_since = '2020-01-01' where site_no = ${shop.siteNo}`
    const [basic, { tiers, bare }] = [price(100), tieredPrice()]
    const base = subscription({ items: [item(basic)] })
    const changed = { ...base, items: { ...base.items, data: [item(bare, { quantity: 4 })] } }
    await deliverAll(shop, [created(base), event('customer.subscription.updated', changed, onDay(2))])
    expect(await db`select from outgoing_events where site_no = ${shop.siteNo}`).toHaveLength(0)
    await db`
      update processor_facts
      set body = body || jsonb_build_object('isNews', ${isNews}::boolean)
      where site_no = ${shop.siteNo} and kind = 'lookup'`
    stripe.objects.set(`prices/${bare.id}`, tiers)
    await pass(shop, '61 minutes')
    await deliverAll(shop, [event('payment_intent.succeeded', { ...intent, id: 'pi_9' }, onDay(3))])
    expect(Object.keys(await netMovements(shop))).toContain('2026-01-02 upgrade USD')
    expect(await db`select from outgoing_events where site_no = ${shop.siteNo}`).toHaveLength(count)
  })

  test('a missing object is not looked up again by every event', async () => {
    const shop = await openShop(api, KEY)
    const base = subscription({ discounts: [discount('co_gone')] })
    const again = (day: number) => event('customer.subscription.updated', base, onDay(day))
    await deliverAll(shop, [created(base), again(2), again(3)])
    expect(stripe.asked).toHaveLength(1)
    await pass(shop, '61 minutes')
    await deliverAll(shop, [again(4)])
    expect(stripe.asked).toHaveLength(2)
  })

  test.each(['the same event again', 'an event of something else'])(
    'a failed lookup is repeated by %s',
    async which => {
      const shop = await openShop(api, KEY)
      const { bare, tiers } = tieredPrice()
      const first = created(subscription({ items: [item(bare, { quantity: 4 })] }))
      const next = which.startsWith('the same') ? first : event('payment_intent.succeeded', intent, onDay(9))
      stripe.failWith = 500
      await deliverAll(shop, [first])
      expect(await netMovements(shop)).toEqual({})
      stripe.failWith = undefined
      stripe.objects.set(`prices/${bare.id}`, tiers)
      await pass(shop, '61 seconds')
      await deliverAll(shop, [next])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 2000 })
      const asked = stripe.asked.length
      await pass(shop, '1 day')
      await deliverAll(shop, [next])
      expect(stripe.asked).toHaveLength(asked)
    },
  )

  test('a failed lookup is repeated at once by an event of the subscription, by others after a minute', async () => {
    const shop = await openShop(api, KEY)
    const { bare, tiers } = tieredPrice()
    const base = subscription({ items: [item(bare, { quantity: 4 })] })
    stripe.failing.set(`prices/${bare.id}`, 403)
    await deliverAll(shop, [created(base), event('payment_intent.succeeded', intent, onDay(2))])
    expect(stripe.asked).toHaveLength(1)
    stripe.failing.clear()
    stripe.objects.set(`prices/${bare.id}`, tiers)
    await deliverAll(shop, [event('customer.subscription.updated', base, onDay(3))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 2000 })
  })

  test('no event fails when the ledger cannot use the answer', async () => {
    const shop = await openShop(api, KEY)
    const { bare, tiers } = tieredPrice()
    const dear = [{ up_to: null, unit_amount_decimal: '99999999999999', flat_amount: null }]
    stripe.objects.set(`prices/${bare.id}`, { ...tiers, tiers: dear })
    const base = subscription({ items: [item(bare, { quantity: 1000 }), item(price(100))] })
    await deliverAll(shop, [created(base), event('payment_intent.succeeded', intent, onDay(2))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 100 })
    expect(stripe.asked).toHaveLength(1)
  })

  test('lookups are made with the next event once there is a key', async () => {
    const shop = await openShop(api)
    const { bare, tiers } = tieredPrice()
    stripe.objects.set(`prices/${bare.id}`, tiers)
    await deliverAll(shop, [created(subscription({ items: [item(bare, { quantity: 4 })] }))])
    await connect(api, shop.member, shop.siteId, KEY.apiKey)
    await deliverAll(shop, [event('payment_intent.succeeded', intent, onDay(2))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 2000 })
  })

  test.each([
    ['does not exist', 404],
    ['cannot be fetched', 500],
    ['must not be read', 403],
  ])('all other answers are kept when a coupon %s', async (_why, status) => {
    const shop = await openShop(api, KEY)
    const { tiers, bare } = tieredPrice()
    stripe.failing.set('coupons/co_gone', status)
    stripe.objects.set(`prices/${bare.id}`, tiers)
    logged.lines.length = 0
    const discounts = [discount('co_gone')]
    await deliverAll(shop, [created(subscription({ items: [item(bare, { quantity: 4 })], discounts }))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 2000 })
    expect(JSON.stringify(logged.lines)).toContain('MRR is not exact')
  })

  describe('a coupon for one of two products', () => {
    const twoProducts = () => [
      item(price(1000, { product: 'prod_a' })),
      item(price(1000, { product: 'prod_b' })),
    ]
    const half = () => {
      const bare = coupon({ percent_off: 50 })
      stripe.objects.set(`coupons/${bare.id}`, { ...bare, applies_to: { products: ['prod_a'] } })
      return bare
    }

    test('a coupon for one product is looked up once, and the answer outlasts an event without the products', async () => {
      const shop = await openShop(api, KEY)
      const bare = half()
      const discounts = [discount(bare.id)]
      await deliverAll(shop, [created(subscription({ items: twoProducts(), discounts }))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
      await deliverAll(shop, [event('coupon.updated', { ...bare, metadata: { a: 'b' } }, onDay(2))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
      expect(stripe.asked).toHaveLength(1)
    })

    test('a coupon for one product is looked up also when the coupon was known before', async () => {
      const shop = await openShop(api, KEY)
      const bare = half()
      const discounts = [discount(bare.id)]
      await deliverAll(shop, [
        event('coupon.created', bare, onDay(1)),
        created(subscription({ items: twoProducts(), discounts })),
      ])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
    })

    test('a coupon for one product is looked up once when it is part of the subscription', async () => {
      const shop = await openShop(api, KEY)
      const given = subscription({ items: twoProducts(), discounts: [discount(half())] })
      await deliverAll(shop, [
        created(given),
        event('customer.subscription.updated', { ...given, cancel_at_period_end: true }, onDay(2)),
      ])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
      expect(stripe.asked).toHaveLength(1)
    })

    test('a coupon for one product is looked up during reconciliation', async () => {
      const shop = await openShop(api, KEY)
      const given = subscription({ items: twoProducts(), discounts: [discount(half())] })
      stripe.objects.set('subscriptions', [given])
      expect(await compare(shop.siteId)).toMatchObject({ processor: 1500 })
    })
  })

  test('a coupon for all products or for only one product is not looked up', async () => {
    const shop = await openShop(api, KEY)
    const bare = coupon({ percent_off: 50 })
    const given = subscription({ discounts: [discount(bare)] })
    const whole = { ...bare, id: 'co_all', applies_to: null }
    const items = [item(price(1000, { product: 'prod_a' })), item(price(1000))]
    await deliverAll(shop, [created(given), created(subscription({ items, discounts: [discount(whole)] }))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1500 })
    expect(stripe.asked).toEqual([])
  })

  describe('another currency', () => {
    const euros = (amount: number) => item(price(amount, { currency: 'eur' }))
    const options = { usd: { amount_off: 100 }, eur: { amount_off: 300 } }

    test('a coupon that takes an amount off is looked up', async () => {
      const shop = await openShop(api, KEY)
      const bare = coupon({ amount_off: 100, currency: 'usd' })
      stripe.objects.set(`coupons/${bare.id}`, { ...bare, currency_options: options })
      const given = { currency: 'eur', items: [euros(1000)], discounts: [discount(bare)] }
      await deliverAll(shop, [created(subscription(given))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start EUR': 700 })
    })

    test('a price is looked up once', async () => {
      const shop = await openShop(api, KEY)
      const [dollars, none] = [price(1000), price(500)]
      const off = coupon({ amount_off: 100, currency: 'usd' })
      stripe.objects.set(`prices/${dollars.id}`, {
        ...dollars,
        currency_options: { usd: { unit_amount: 1000 }, eur: { unit_amount: 900 } },
      })
      stripe.objects.set(`prices/${none.id}`, none)
      stripe.objects.set(`coupons/${off.id}`, { ...off, currency_options: options })
      const base = subscription({
        currency: 'eur',
        items: [item(dollars, { quantity: 2 }), item(none), euros(50)],
        discounts: [discount(off)],
      })
      await deliverAll(shop, [created(base)])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start EUR': 1550 })
      await deliverAll(shop, [event('customer.subscription.updated', base, onDay(2))])
      expect(stripe.asked).toHaveLength(3)
      stripe.objects.set('subscriptions', [base])
      expect(await compare(shop.siteId)).toMatchObject({ drift: [] })
    })

    test('a price with tiers is looked up', async () => {
      const shop = await openShop(api, KEY)
      const { tiers, bare } = tieredPrice()
      const inEuros = [{ up_to: null, unit_amount: 400, flat_amount: 50 }]
      stripe.objects.set(`prices/${bare.id}`, {
        ...tiers,
        currency_options: { usd: { tiers: tiers.tiers }, eur: { unit_amount: null, tiers: inEuros } },
      })
      await deliverAll(shop, [
        created(subscription({ currency: 'eur', items: [item(bare, { quantity: 3 })] })),
        created(subscription({ items: [item(bare, { quantity: 3 })] })),
      ])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start EUR': 1250, '2026-01-01 start USD': 1500 })
      expect(stripe.asked.at(-1)).toContain('currency_options.eur.tiers')
      expect(stripe.asked).toHaveLength(2)
    })

    test('without a key it counts as nothing, and a warning is logged', async () => {
      const shop = await openShop(api)
      const dollars = price(1000)
      logged.lines.length = 0
      await deliverAll(shop, [created(subscription({ currency: 'eur', items: [item(dollars), euros(50)] }))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start EUR': 50 })
      expect(JSON.stringify(logged.lines)).toContain(dollars.id)
    })
  })

  describe('items that do not fit into an event', () => {
    const cut = (given: Json, change: Json = {}) => {
      const { data, ...rest } = given.items
      return { ...given, items: { ...rest, data: data.slice(0, 1), has_more: true }, ...change }
    }
    const stock = (given: Json) => {
      stripe.objects.set(`subscriptions/${given.id}`, cut(given))
      stripe.objects.set('subscription_items', given.items.data)
    }
    const updated = (object: Json, day: number, id?: string) =>
      event('customer.subscription.updated', object, onDay(day), id)

    test('items that do not fit into an event are looked up once per event, with their prices and coupons', async () => {
      const shop = await openShop(api, KEY)
      const { tiers, bare } = tieredPrice()
      const half = coupon({ percent_off: 50 })
      stripe.objects.set(`prices/${bare.id}`, tiers)
      stripe.objects.set(`coupons/${half.id}`, half)
      const off = { discounts: [discount(half.id)] }
      const base = subscription({
        items: [item(price(1000)), item(price(200), off), item(bare, { quantity: 3 })],
      })
      stock(base)
      const first = created(cut(base))
      await deliverAll(shop, [first])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 2600 })
      const asked = stripe.asked.length
      await deliverAll(shop, [first])
      expect(stripe.asked).toHaveLength(asked)
    })

    test('items that do not fit into an event are looked up for each later event; earlier states stay unchanged', async () => {
      const shop = await openShop(api, KEY)
      const base = subscription({ items: [item(price(1000)), item(price(200))] })
      stock(base)
      await deliverAll(shop, [created(cut(base))])
      const dearer = { ...base, items: { ...base.items, data: [...base.items.data, item(price(50))] } }
      stock(dearer)
      await deliverAll(shop, [updated(cut(dearer), 5)])
      const asked = stripe.asked.length
      await deliverAll(shop, [updated(cut(base, { cancel_at_period_end: true }), 3)])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1200, '2026-01-05 upgrade USD': 50 })
      expect(stripe.asked).toHaveLength(asked)
      await deliverAll(shop, [updated(base, 6)])
      expect(await netMovements(shop)).toMatchObject({ '2026-01-06 downgrade USD': -50 })
    })

    test('discounts and taxes of the subscription apply to items that are looked up', async () => {
      const shop = await openShop(api, KEY)
      const vat = { object: 'tax_rate', percentage: 25, inclusive: true }
      const base = subscription({
        items: [item(price(1000)), item(price(500))],
        discounts: [discount(coupon({ percent_off: 50, applies_to: null }))],
        default_tax_rates: [vat],
      })
      stock(base)
      await deliverAll(shop, [created(cut(base))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 600 })
    })

    test('their lookup waits for a key and for the processor', async () => {
      const shop = await openShop(api)
      const base = subscription({ items: [item(price(1000)), item(price(200))] })
      logged.lines.length = 0
      await deliverAll(shop, [created(cut(base))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
      expect(JSON.stringify(logged.lines)).toContain(base.id)
      await connect(api, shop.member, shop.siteId, KEY.apiKey)
      stripe.failWith = 500
      await deliverAll(shop, [event('payment_intent.succeeded', intent, onDay(2))])
      stripe.failWith = undefined
      stock(base)
      await pass(shop, '61 seconds')
      await deliverAll(shop, [event('payment_intent.succeeded', { ...intent, id: 'pi_2' }, onDay(2))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1200 })
    })

    test('missing items are looked up once for earlier states that arrive after the end', async () => {
      const shop = await openShop(api, KEY)
      const base = subscription({ items: [item(price(1000)), item(price(200))] })
      stock(base)
      await deliverAll(shop, [event('customer.subscription.deleted', cut(base), onDay(5))])
      expect(stripe.asked).toEqual([])
      await deliverAll(shop, [created(cut(base))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1200, '2026-01-05 end USD': -1200 })
      const asked = stripe.asked.length
      await deliverAll(shop, [updated(cut(base, { cancel_at_period_end: true }), 3)])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1200, '2026-01-05 end USD': -1200 })
      expect(stripe.asked).toHaveLength(asked)
    })

    test('too many items leave the subscription unchanged, and one that does not count is skipped', async () => {
      const shop = await openShop(api, KEY)
      const many = subscription({ items: Array.from({ length: 101 }, () => item(price(10))) })
      stock(many)
      await deliverAll(shop, [created(cut(subscription(), { status: 'trialing' }))])
      expect(stripe.asked).toEqual([])
      await deliverAll(shop, [created(cut(many))])
      expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 10 })
    })
  })
})
