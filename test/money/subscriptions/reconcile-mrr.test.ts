import { expect, test } from 'vitest'
import { reconcileMrr } from '../../../src/money/subscriptions/reconcile-mrr.ts'
import { adminCommand } from '../../support/admin-command.ts'
import {
  coupon,
  deliverAll,
  discount,
  event,
  item,
  type Json,
  onDay,
  openShop,
  price,
  subscription,
  tieredPrice,
} from '../../support/stripe.ts'
import { apiWithStripe } from '../../support/stripe-api.ts'

const { api, stripe } = apiWithStripe()

const KEY = { apiKey: 'rk_test_good' }
const created = (object: Json) => event('customer.subscription.created', object, onDay(1))
const compare = (siteId: string) => reconcileMrr(api.services, siteId)

test('MRR reconciliation: equal MRR on both sides gives no drift, on any number of pages', async () => {
  const shop = await openShop(api, KEY)
  const subscriptions = [1, 2, 3, 4, 5].map(quantity =>
    subscription({ items: [item(price(1000), { quantity })] }),
  )
  await deliverAll(shop, subscriptions.map(created))
  stripe.objects.set('subscriptions', subscriptions)
  const sums = { currency: 'USD', ours: 15_000, processor: 15_000 }
  expect(await compare(shop.siteId)).toEqual({ ...sums, drift: [] })
  expect(stripe.asked.filter(each => each.startsWith('subscriptions'))).toHaveLength(3)
})

test('MRR reconciliation: subscriptions that only one side has or that differ are listed', async () => {
  const shop = await openShop(api, KEY)
  const [missed, gone, changed, trial, foreign] = [
    subscription({ id: 'sub_a' }),
    subscription({ id: 'sub_b' }),
    subscription({ id: 'sub_c' }),
    subscription({ id: 'sub_d', status: 'trialing' }),
    subscription({ id: 'sub_e', currency: 'eur', items: [item(price(1000, { currency: 'eur' }))] }),
  ]
  await deliverAll(shop, [gone, changed, trial].map(created))
  const dearer = subscription({ id: 'sub_c', items: [item(price(1500))] })
  stripe.objects.set('subscriptions', [missed, dearer, trial, foreign])
  expect(await compare(shop.siteId)).toEqual({
    currency: 'USD',
    ours: 2000,
    processor: 2500,
    drift: [
      { subscription_id: 'sub_a', currency: 'USD', ours: 0, processor: 1000 },
      { subscription_id: 'sub_b', currency: 'USD', ours: 1000, processor: 0 },
      { subscription_id: 'sub_c', currency: 'USD', ours: 1000, processor: 1500 },
      { subscription_id: 'sub_e', currency: 'EUR', ours: 0, processor: 1000 },
    ],
  })
})

test('MRR reconciliation: tiers, coupons of customers and items after the first page are looked up', async () => {
  const shop = await openShop(api, KEY)
  const half = coupon({ percent_off: 50 })
  const { tiers, bare } = tieredPrice()
  const given = discount(half.id, { customer: 'cus_1' })
  const customer = { id: 'cus_1', object: 'customer', metadata: {}, discount: given }
  const listed = subscription({ id: 'sub_1', customer, items: [item(bare, { quantity: 3 })] })
  stripe.objects.set('subscriptions', [{ ...listed, items: { ...listed.items, has_more: true } }])
  const items = [item(bare, { quantity: 3 }), item(price(100)), item(price(200))]
  stripe.objects.set('subscription_items', items)
  stripe.objects.set(`prices/${bare.id}`, tiers)
  stripe.objects.set(`coupons/${half.id}`, half)
  expect(await compare(shop.siteId)).toMatchObject({ ours: 0, processor: 900 })
})

test('MRR reconciliation: a coupon that the processor no longer has is named and counts as nothing', async () => {
  const shop = await openShop(api, KEY)
  const { tiers, bare } = tieredPrice()
  stripe.objects.set(`prices/${bare.id}`, tiers)
  stripe.objects.set('subscriptions', [
    subscription({ id: 'sub_1', items: [item(bare, { quantity: 3 })], discounts: [discount('co_gone')] }),
  ])
  expect(await compare(shop.siteId)).toMatchObject({ ours: 0, processor: 1500, missing: ['co_gone'] })
})

test('MRR reconciliation: subscriptions beyond the bounds are listed, and the others compared', {
  tags: ['full'],
}, async () => {
  const shop = await openShop(api, KEY)
  const { tiers, bare } = tieredPrice()
  stripe.objects.set(`prices/${bare.id}`, { ...tiers, tiers: [{ up_to: -1 }] })
  const [fine, odd, dear, tiered] = [
    subscription({ id: 'sub_a' }),
    subscription({ id: 'sub_b', discounts: [discount(coupon({ percent_off: 0.00001 }))] }),
    subscription({ id: 'sub_c', items: [item(price(9e14), { quantity: 9 })] }),
    subscription({ id: 'sub_d', items: [item(bare)] }),
  ]
  await deliverAll(
    shop,
    ['a', 'b', 'c', 'd'].map(id => created(subscription({ id: `sub_${id}` }))),
  )
  stripe.objects.set('subscriptions', [dear, tiered, odd, fine])
  expect(await compare(shop.siteId)).toEqual({
    currency: 'USD',
    ours: 4000,
    processor: 1000,
    drift: [],
    unreadable: [
      { subscription_id: 'sub_b', reason: expect.stringMatching(/^discounts\.0/) },
      { subscription_id: 'sub_c', reason: expect.stringMatching(/beyond exact numbers/) },
      { subscription_id: 'sub_d', reason: `${bare.id} cannot be read` },
    ],
  })
})

test('MRR reconciliation: a failed lookup of a coupon is reported with its reason', async () => {
  const shop = await openShop(api, KEY)
  stripe.failing.set('coupons/co_shut', 403)
  stripe.objects.set('subscriptions', [subscription({ discounts: [discount('co_shut')] })])
  await expect(compare(shop.siteId)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/cannot be asked: Stripe\w+ 403/),
  })
})

test.each([
  ['without a connection', 'not_found', /No payment processor is connected/],
  ['without a key', 'bad_request', /API key/],
  ['with a wrong key', 'unavailable', /StripeAuthenticationError 401/],
  ['while the processor fails', 'unavailable', /StripeAPIError 500|StripeInvalidRequestError 500/],
])('MRR reconciliation: %s it fails with the reason', async (how, code, message) => {
  const apiKey = how === 'with a wrong key' ? 'rk_bad' : KEY.apiKey
  const shop = await openShop(api, how === 'without a key' ? {} : { apiKey })
  if (how.includes('connection')) {
    await api.call('DELETE', `/api/sites/${shop.siteId}/processor`, { token: shop.member.token })
  }
  if (how.includes('fails')) stripe.failWith = 500
  stripe.objects.set('subscriptions', [])
  const failed = compare(shop.siteId)
  await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

test('MRR reconciliation: the command line says in one line what is missing', async () => {
  const { databaseUrl, redisUrl } = api.services.config
  const admin = await adminCommand({ databaseUrl: databaseUrl!, redisUrl: redisUrl! })
  try {
    const { siteId } = await openShop(api)
    const run = await admin.run(['revenue:reconcile', '--site', siteId])
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/^error: The connection has no API key: .*\n$/)
  } finally {
    admin.close()
  }
})
