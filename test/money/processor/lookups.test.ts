import { expect, test } from 'vitest'
import { reconcileMrr } from '../../../src/money/subscriptions/reconcile-mrr.ts'
import {
  addReceiver,
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
  type StripeEvent,
  subscription,
  tieredPrice,
} from '../../support/stripe.ts'
import { apiWithStripe } from '../../support/stripe-api.ts'

const { api, stripe, logged } = apiWithStripe()

const KEY = { apiKey: 'rk_test_good' }
const created = (object: Json) => event('customer.subscription.created', object, onDay(1))
const updated = (object: Json, day: number) => event('customer.subscription.updated', object, onDay(day))
/** An event that has nothing to do with a subscription. */
const another = (id = 'pi_1') =>
  event('payment_intent.succeeded', { id, object: 'payment_intent', latest_charge: 'ch_1' }, onDay(2))
/** Makes Stripe know these objects. */
const know = (...objects: Json[]) => {
  for (const each of objects) stripe.objects.set(`${each.object}s/${each.id}`, each)
}
const compare = (siteId: string) => reconcileMrr(api.services, siteId)

/** Delivers events, and expects these net movements then; a number is the MRR that begins on the first day. */
async function expectAfter(shop: Shop, events: StripeEvent[], moved: number | Record<string, number>) {
  await deliverAll(shop, events)
  const movements = typeof moved === 'number' ? { '2026-01-01 start USD': moved } : moved
  expect(await netMovements(shop)).toEqual(movements)
}

/** A shop with a key, in which events have made these net movements. */
async function openAfter(
  ...[events, moved]: [StripeEvent[], number | Record<string, number>]
): Promise<Shop> {
  const shop = await openShop(api, KEY)
  await expectAfter(shop, events, moved)
  return shop
}

/** A subscription to four units of a price; an event has it without the tiers. */
function tieredSubscription(more: Json = {}) {
  const { bare, tiers } = tieredPrice()
  return { bare, tiers, base: subscription({ items: [item(bare, { quantity: 4 })], ...more }) }
}

/** Moves all lookups of the shop back in time by the interval; in UTC, since Citus takes only immutable functions here. */
async function pass({ siteNo }: Shop, interval: string): Promise<void> {
  await api.services.db`
    update processor_facts
    set at = (at at time zone 'UTC' - ${interval}::text::interval) at time zone 'UTC'
    where site_no = ${siteNo} and kind = 'lookup'`
}

test('lookups: data that an event omits is looked up once when there is a key', async () => {
  const third = coupon({ percent_off: 30 })
  const { tiers, base } = tieredSubscription({ discounts: [discount(third.id)] })
  know(tiers, third)
  const shop = await openAfter([created(base)], 1400)
  await deliverAll(shop, [updated({ ...base, cancel_at_period_end: true }, 2)])
  expect(stripe.asked).toHaveLength(2)
})

test.each([
  ['there is no key', {}],
  ['the key is wrong', { apiKey: 'rk_bad' }],
  ['there is no such price', KEY],
])('lookups: omitted data counts as nothing and is logged while %s', async (_why, key) => {
  const shop = await openShop(api, key)
  const { bare, tiers } = tieredPrice()
  const base = subscription({ items: [item(bare, { quantity: 4 }), item(price(100))] })
  expect((await deliver(shop, created(base))).status).toBe(200)
  expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 100 })
  expect(JSON.stringify(logged)).toContain('MRR is not exact')
  expect(JSON.stringify(logged)).not.toContain('rk_')
  if (key !== KEY) return
  know(tiers)
  await pass(shop, '61 minutes')
  await expectAfter(shop, [updated(base, 3)], 2100)
})

test.each([
  ['an event', true, 1],
  ['an import alone', false, 0],
])('lookups: the answer to a lookup of %s is announced: %s', async (_, isNews, count) => {
  const shop = await openShop(api, KEY)
  const { db } = api.services
  await addReceiver(shop, ['subscription.upgraded'])
  const [basic, { tiers, bare }] = [price(100), tieredPrice()]
  const base = subscription({ items: [item(basic)] })
  const changed = { ...base, items: { ...base.items, data: [item(bare, { quantity: 4 })] } }
  await deliverAll(shop, [created(base), updated(changed, 2)])
  expect(await db`select from outgoing_events where site_no = ${shop.siteNo}`).toHaveLength(0)
  await db`
    update processor_facts
    set body = body || jsonb_build_object('isNews', ${isNews}::boolean)
    where site_no = ${shop.siteNo} and kind = 'lookup'`
  know(tiers)
  await pass(shop, '61 minutes')
  await deliverAll(shop, [another()])
  expect(Object.keys(await netMovements(shop))).toContain('2026-01-02 upgrade USD')
  expect(await db`select from outgoing_events where site_no = ${shop.siteNo}`).toHaveLength(count)
})

test('lookups: a missing object is not looked up again by every event', async () => {
  const shop = await openShop(api, KEY)
  const base = subscription({ discounts: [discount('co_gone')] })
  await deliverAll(shop, [created(base), updated(base, 2), updated(base, 3)])
  expect(stripe.asked).toHaveLength(1)
  await pass(shop, '61 minutes')
  await deliverAll(shop, [updated(base, 4)])
  expect(stripe.asked).toHaveLength(2)
})

test.each([
  ['the same event again', (first: StripeEvent) => first],
  ['an event of something else', () => another()],
])('lookups: a failed lookup is repeated by %s', async (_which, nextOf) => {
  const { base, tiers } = tieredSubscription()
  const first = created(base)
  const next = nextOf(first)
  stripe.failWith = 500
  const shop = await openAfter([first], {})
  stripe.failWith = undefined
  know(tiers)
  await pass(shop, '61 seconds')
  await expectAfter(shop, [next], 2000)
  const asked = stripe.asked.length
  await pass(shop, '1 day')
  await deliverAll(shop, [next])
  expect(stripe.asked).toHaveLength(asked)
})

test('lookups: a failed lookup is repeated at once by an event of the subscription, by others after a minute', async () => {
  const shop = await openShop(api, KEY)
  const { bare, tiers, base } = tieredSubscription()
  stripe.failing.set(`prices/${bare.id}`, 403)
  await deliverAll(shop, [created(base), another()])
  expect(stripe.asked).toHaveLength(1)
  stripe.failing.clear()
  know(tiers)
  await expectAfter(shop, [updated(base, 3)], 2000)
})

test('lookups: no event fails when the ledger cannot use the answer', async () => {
  const { bare, tiers } = tieredPrice()
  const dear = [{ up_to: null, unit_amount_decimal: '99999999999999', flat_amount: null }]
  know({ ...tiers, tiers: dear })
  const base = subscription({ items: [item(bare, { quantity: 1000 }), item(price(100))] })
  await openAfter([created(base), another()], 100)
  expect(stripe.asked).toHaveLength(1)
})

test('lookups are made with the next event once there is a key', async () => {
  const shop = await openShop(api)
  const { base, tiers } = tieredSubscription()
  know(tiers)
  await deliverAll(shop, [created(base)])
  await connect(api, shop.member, shop.siteId, KEY.apiKey)
  await expectAfter(shop, [another()], 2000)
})

test.each([
  ['does not exist', 404],
  ['cannot be fetched', 500],
  ['must not be read', 403],
])('lookups: all other answers are kept when a coupon %s', async (_why, status) => {
  const { tiers, base } = tieredSubscription({ discounts: [discount('co_gone')] })
  stripe.failing.set('coupons/co_gone', status)
  know(tiers)
  await openAfter([created(base)], 2000)
  expect(JSON.stringify(logged)).toContain('MRR is not exact')
})

const twoProducts = () => ['prod_a', 'prod_b'].map(product => item(price(1000, { product })))
const half = () => {
  const bare = coupon({ percent_off: 50 })
  know({ ...bare, applies_to: { products: ['prod_a'] } })
  return bare
}

test('lookups, a coupon for one of two products: it is looked up once, and the answer outlasts an event without the products', async () => {
  const bare = half()
  const discounts = [discount(bare.id)]
  const shop = await openAfter([created(subscription({ items: twoProducts(), discounts }))], 1500)
  await expectAfter(shop, [event('coupon.updated', { ...bare, metadata: { a: 'b' } }, onDay(2))], 1500)
  expect(stripe.asked).toHaveLength(1)
})

test.each([
  ['was known before', true],
  ['is part of the subscription', false],
])(
  'lookups, a coupon for one of two products: it is looked up once, also when it %s, and during reconciliation',
  async (_when, isKnown) => {
    const shop = await openShop(api, KEY)
    const bare = half()
    if (isKnown) await deliverAll(shop, [event('coupon.created', bare, onDay(1))])
    const given = subscription({ items: twoProducts(), discounts: [discount(isKnown ? bare.id : bare)] })
    await expectAfter(shop, [created(given), updated({ ...given, cancel_at_period_end: true }, 2)], 1500)
    expect(stripe.asked).toHaveLength(1)
    stripe.objects.set('subscriptions', [given])
    expect(await compare(shop.siteId)).toMatchObject({ processor: 1500 })
  },
)

test('lookups: a coupon for all products or for only one product is not looked up', async () => {
  const bare = coupon({ percent_off: 50 })
  const given = subscription({ discounts: [discount(bare)] })
  const whole = { ...bare, id: 'co_all', applies_to: null }
  const items = [item(price(1000, { product: 'prod_a' })), item(price(1000))]
  await openAfter([created(given), created(subscription({ items, discounts: [discount(whole)] }))], 1500)
  expect(stripe.asked).toEqual([])
})

const euros = (amount: number) => item(price(amount, { currency: 'eur' }))

test('another currency: a price and a coupon that takes an amount off are looked up once', async () => {
  const [dollars, none] = [price(1000), price(500)]
  const off = coupon({ amount_off: 100, currency: 'usd' })
  const inEuros = { usd: { unit_amount: 1000 }, eur: { unit_amount: 900 } }
  const offEuros = { usd: { amount_off: 100 }, eur: { amount_off: 300 } }
  know({ ...dollars, currency_options: inEuros }, none, { ...off, currency_options: offEuros })
  const base = subscription({
    currency: 'eur',
    items: [item(dollars, { quantity: 2 }), item(none), euros(50)],
    discounts: [discount(off)],
  })
  const shop = await openAfter([created(base)], { '2026-01-01 start EUR': 1550 })
  await deliverAll(shop, [updated(base, 2)])
  expect(stripe.asked).toHaveLength(3)
  stripe.objects.set('subscriptions', [base])
  expect(await compare(shop.siteId)).toMatchObject({ drift: [] })
})

test('another currency: a price with tiers is looked up', async () => {
  const { tiers, bare } = tieredPrice()
  const inEuros = [{ up_to: null, unit_amount: 400, flat_amount: 50 }]
  const currency_options = { usd: { tiers: tiers.tiers }, eur: { unit_amount: null, tiers: inEuros } }
  know({ ...tiers, currency_options })
  const items = [item(bare, { quantity: 3 })]
  const events = [created(subscription({ currency: 'eur', items })), created(subscription({ items }))]
  await openAfter(events, { '2026-01-01 start EUR': 1250, '2026-01-01 start USD': 1500 })
  expect(stripe.asked.at(-1)).toContain('currency_options.eur.tiers')
  expect(stripe.asked).toHaveLength(2)
})

const cut = (given: Json, change: Json = {}) => {
  const { data, ...rest } = given.items
  return { ...given, items: { ...rest, data: data.slice(0, 1), has_more: true }, ...change }
}
const stock = (given: Json) => {
  know(cut(given))
  stripe.objects.set('subscription_items', given.items.data)
}

test('lookups: items that do not fit into an event are looked up once per event, with their prices and coupons', async () => {
  const { tiers, bare } = tieredPrice()
  const half = coupon({ percent_off: 50 })
  know(tiers, half)
  const off = { discounts: [discount(half.id)] }
  const items = [item(price(1000)), item(price(200), off), item(bare, { quantity: 3 })]
  const base = subscription({ items })
  stock(base)
  const first = created(cut(base))
  const shop = await openAfter([first], 2600)
  const asked = stripe.asked.length
  await deliverAll(shop, [first])
  expect(stripe.asked).toHaveLength(asked)
})

test('lookups: items that do not fit into an event are looked up for each later event; earlier states stay unchanged', async () => {
  const shop = await openShop(api, KEY)
  const base = subscription({ items: [item(price(1000)), item(price(200))] })
  stock(base)
  await deliverAll(shop, [created(cut(base))])
  const dearer = { ...base, items: { ...base.items, data: [...base.items.data, item(price(50))] } }
  stock(dearer)
  await deliverAll(shop, [updated(cut(dearer), 5)])
  const asked = stripe.asked.length
  await expectAfter(shop, [updated(cut(base, { cancel_at_period_end: true }), 3)], {
    '2026-01-01 start USD': 1200,
    '2026-01-05 upgrade USD': 50,
  })
  expect(stripe.asked).toHaveLength(asked)
  await deliverAll(shop, [updated(base, 6)])
  expect(await netMovements(shop)).toMatchObject({ '2026-01-06 downgrade USD': -50 })
})

test('lookups, items that do not fit into an event: discounts and taxes of the subscription apply to items that are looked up', async () => {
  const items = [item(price(1000)), item(price(500))]
  const discounts = [discount(coupon({ percent_off: 50, applies_to: null }))]
  const vat = { object: 'tax_rate', percentage: 25, inclusive: true }
  const base = subscription({ items, discounts, default_tax_rates: [vat] })
  stock(base)
  await openAfter([created(cut(base))], 600)
})

test('lookups, items that do not fit into an event: their lookup waits for a key and for the processor', async () => {
  const shop = await openShop(api)
  const base = subscription({ items: [item(price(1000)), item(price(200))] })
  await expectAfter(shop, [created(cut(base))], 1000)
  expect(JSON.stringify(logged)).toContain(base.id)
  await connect(api, shop.member, shop.siteId, KEY.apiKey)
  stripe.failWith = 500
  await deliverAll(shop, [another()])
  stripe.failWith = undefined
  stock(base)
  await pass(shop, '61 seconds')
  await expectAfter(shop, [another('pi_2')], 1200)
})

test('lookups, items that do not fit into an event: missing items are looked up once for earlier states that arrive after the end', async () => {
  const shop = await openShop(api, KEY)
  const base = subscription({ items: [item(price(1000)), item(price(200))] })
  stock(base)
  await deliverAll(shop, [event('customer.subscription.deleted', cut(base), onDay(5))])
  expect(stripe.asked).toEqual([])
  const whole = { '2026-01-01 start USD': 1200, '2026-01-05 end USD': -1200 }
  await expectAfter(shop, [created(cut(base))], whole)
  const asked = stripe.asked.length
  await expectAfter(shop, [updated(cut(base, { cancel_at_period_end: true }), 3)], whole)
  expect(stripe.asked).toHaveLength(asked)
})

test('lookups, items that do not fit into an event: too many items leave the subscription unchanged, and one that does not count is skipped', async () => {
  const shop = await openShop(api, KEY)
  const many = subscription({ items: Array.from({ length: 101 }, () => item(price(10))) })
  stock(many)
  await deliverAll(shop, [created(cut(subscription(), { status: 'trialing' }))])
  expect(stripe.asked).toEqual([])
  await expectAfter(shop, [created(cut(many))], 10)
})

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
  know(known, ...own, ...items)
  return { known, told }
}

test('discounts: unknown ids are looked up once, with their coupons', async () => {
  const { known, told } = discounted([25], [50])
  const shop = await openAfter([created(told)], 1500)
  expect(stripe.asked[0]).toBe(`subscriptions/${known.id}?expand[0]=discounts&expand[1]=items.data.discounts`)
  const asked = stripe.asked.length
  await expectAfter(shop, [updated({ ...told, cancel_at_period_end: true }, 2)], 1500)
  expect(stripe.asked).toHaveLength(asked)
  stripe.objects.set('subscriptions', [known])
  expect(await compare(shop.siteId)).toMatchObject({ ours: 1500, drift: [] })
})

test('discounts: an id known from an event is not looked up', async () => {
  const { known, told } = discounted([25])
  const whole = { ...known.discounts[0], source: undefined, coupon: coupon({ percent_off: 25 }) }
  const given = event('customer.discount.created', { ...whole, subscription: known.id }, onDay(1))
  await openAfter([given, created(told)], 3000)
  expect(stripe.asked).toEqual([])
})

test('discounts: an id that Stripe no longer lists counts as nothing and is looked up once per event', async () => {
  const { known, told } = discounted([25])
  know({ ...known, discounts: [] })
  const first = created(told)
  await openAfter([first, first], 4000)
  expect(stripe.asked).toHaveLength(1)
})

test('discounts: ids of a subscription that does not count are not looked up', async () => {
  const { told } = discounted([25])
  await openAfter([created({ ...told, status: 'trialing' })], {})
  expect(stripe.asked).toEqual([])
})
