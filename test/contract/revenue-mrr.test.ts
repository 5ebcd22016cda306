import { describe, expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import { coupon, discount, event, item, type Json, onDay, price, subscription } from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const created = (options: Json) => event('customer.subscription.created', subscription(options), onDay(1))
const every = (interval: string, amount: number, more: Json = {}) =>
  item(price(amount, { recurring: { interval, interval_count: 1, ...more } }))
const off = (options: Json) => [discount(coupon(options))]
const metered = every('month', 500, { usage_type: 'metered', meter: 'm' })
const tax = { id: 'txr_1', object: 'tax_rate', active: true, inclusive: true, percentage: 20 }

// All forms of prices, coupons and taxes: test/revenue/subscriptions/mrr.test.ts
test.each<[string, Json, number]>(
  sweep([
    ['price times quantity', { items: [item(price(1099), { quantity: 7 })] }, 7693],
    ['the sum of items, rounded once', { items: [every('year', 30), every('week', 300)] }, 1302], // 1302.5
    ['without metered items', { items: [item(price(1000)), metered] }, 1000],
    ['nothing of metered items alone', { items: [metered] }, 0],
    ['less a fraction of a percent', { discounts: off({ percent_off: 12.55 }) }, 874], // 874.5
    [
      'less an amount off each invoice of a year',
      { items: [every('year', 12_000)], discounts: off({ amount_off: 1200, currency: 'usd' }) },
      900,
    ],
    ['without the tax that is in it', { items: [item(price(1200))], default_tax_rates: [tax] }, 1000],
  ]),
)('MRR is %s', async (_what, options, expected) => {
  const site = await revenue.shop()
  await revenue.deliverAll(site, [created(options)])
  expect(await revenue.movements(site)).toEqual(expected === 0 ? {} : { '2026-01-01': expected })
  expect(await revenue.log(site)).toEqual(['2026-01-01 subscription_started'])
  expect(await revenue.overview(site)).toMatchObject({ mrr: expected })
})

describe('subscription currency', () => {
  const costs = (currency: string, amount: number) =>
    created({ currency, items: [item(price(amount, { currency }))] })

  test.each(
    sweep([
      ['JPY', 4980],
      ['KRW', 12_340],
    ]),
  )('an amount in %s is stored in its own minor units', async (currency, amount) => {
    const site = await revenue.shop()
    expect((await revenue.call('PATCH', `${site.path}/currency`, { currency })).status).toBe(200)
    await revenue.deliverAll(site, [costs(currency.toLowerCase(), amount)])
    expect(await revenue.movements(site)).toEqual({ '2026-01-01': amount })
  })

  test('a subscription in another currency than the site is left out of sums', async () => {
    const site = await revenue.shop()
    await revenue.deliverAll(site, [costs('eur', 500), costs('usd', 70)])
    expect(await revenue.movements(site)).toEqual({ '2026-01-01': 70 })
    expect(await revenue.overview(site)).toMatchObject({ mrr: 70, kpi: { currency: 'USD' } })
  })
})
