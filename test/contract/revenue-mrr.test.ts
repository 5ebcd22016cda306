import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coupon, discount, event, item, type Json, onDay, price, subscription } from '../support/stripe.ts'
import { type Revenue, startRevenue } from './revenue-shop.ts'

let revenue: Revenue
beforeAll(async () => {
  revenue = await startRevenue()
})
afterAll(() => revenue.close())

const every = (interval: string, amount: number, interval_count = 1, more: Json = {}) =>
  price(amount, { recurring: { interval, interval_count, ...more } })
const of = (...prices: Json[]): Json => ({ items: prices.map(each => item(each)) })
const off = (...coupons: Json[]): Json => ({ discounts: coupons.map(each => discount(each)) })
const tax = (percentage: number, inclusive: boolean) => ({
  ...{ id: 'txr_1', object: 'tax_rate', active: true, inclusive, percentage },
})

describe('MRR is', () => {
  test.each<[string, Json, number]>([
    ['price times quantity', { items: [item(price(1099), { quantity: 7 })] }, 7 * 1099],
    ['a twelfth of a year', of(every('year', 12_000)), 1000],
    ['rounded to the nearest', of(every('year', 9999)), 833], // 833.25
    ['rounded to the even one, down', of(every('year', 30)), 2], // 2.5
    ['rounded to the even one, up', of(every('year', 42)), 4], // 3.5
    ['rounded once', of(every('year', 30), every('year', 30)), 5],
    ['52 twelfths of a week', of(every('week', 300)), 1300],
    ['little by the week', of(every('week', 1)), 4], // 4.33
    ['365 twelfths of a day', of(every('day', 100)), 3042], // 3041.67
    ['a third of three months', of(every('month', 3000, 3)), 1000],
    ['a half of a twelfth of two years', of(every('year', 24_000, 2)), 1000],
    ['half as much every two weeks', of(every('week', 1200, 2)), 2600],
    [
      'the sum of two items',
      { items: [item(price(1000)), item(every('year', 12_000), { quantity: 2 })] },
      3000,
    ],
    [
      'without metered items',
      of(price(1000), every('month', 500, 1, { usage_type: 'metered', meter: 'm' })),
      1000,
    ],
    ['nothing of metered items alone', of(every('month', 500, 1, { usage_type: 'metered', meter: 'm' })), 0],
    [
      'exact for fractions of a unit',
      { items: [item(price(0, { unit_amount: null, unit_amount_decimal: '0.5' }), { quantity: 1001 })] },
      500, // 500.5
    ],
    ['less a percentage forever', off(coupon({ percent_off: 25 })), 750],
    ['less a fraction of a percent', { ...of(price(10_000)), ...off(coupon({ percent_off: 12.55 })) }, 8745],
    ['less an amount forever', off(coupon({ amount_off: 300, currency: 'usd' })), 700],
    ['never below 0', off(coupon({ amount_off: 1500, currency: 'usd' })), 0],
    ['nothing when all is taken off', off(coupon({ percent_off: 100 })), 0],
    [
      'less an amount off each invoice of a year',
      { ...of(every('year', 12_000)), ...off(coupon({ amount_off: 1200, currency: 'usd' })) },
      900,
    ],
    ['not less a coupon for once', off(coupon({ percent_off: 50, duration: 'once' })), 1000],
    [
      'not less a coupon for some months',
      off(coupon({ percent_off: 50, duration: 'repeating', duration_in_months: 6 })),
      1000,
    ],
    [
      'less the one that lasts of two',
      off(coupon({ percent_off: 50, duration: 'once' }), coupon({ percent_off: 10 })),
      900,
    ],
    [
      'less two, one after the other',
      off(coupon({ percent_off: 50 }), coupon({ amount_off: 100, currency: 'usd' })),
      400,
    ],
    [
      'less that of one item',
      { items: [item(price(1000), off(coupon({ percent_off: 50 }))), item(price(1000))] },
      1500,
    ],
    ['without the tax that comes on top', { default_tax_rates: [tax(20, false)] }, 1000],
    ['without the tax that is in it', { ...of(price(1200)), default_tax_rates: [tax(20, true)] }, 1000],
  ])('%s', async (_what, options, expected) => {
    const site = await revenue.shop()
    await revenue.deliverAll(site, [event('customer.subscription.created', subscription(options), onDay(1))])
    expect(await revenue.movements(site)).toEqual(expected === 0 ? {} : { '2026-01-01': expected })
    expect(await revenue.log(site)).toEqual(['2026-01-01 subscription_started'])
    expect(await revenue.overview(site)).toMatchObject({ mrr: expected })
  })
})

describe('Stripe versions', () => {
  /** The shape before 2025-03: the period is on the subscription, items have plan and price, `discount` is one object. */
  const old = (plan: Json, quantity = 1): Json => {
    const { items: _items, discounts: _discounts, ...rest } = subscription()
    return {
      ...rest,
      discount: null,
      current_period_start: onDay(1),
      current_period_end: onDay(32),
      plan,
      quantity,
      items: {
        object: 'list',
        data: [{ id: 'si_old', object: 'subscription_item', plan, price: plan, quantity }],
        has_more: false,
      },
    }
  }

  test.each<[string, (base: Json) => Json]>([
    ['with plan and price on the item', base => base],
    [
      'with a plan on the item and no price',
      base => ({
        ...base,
        items: { ...base.items, data: [{ id: 'si_1', plan: PLAN, quantity: 2 }] },
      }),
    ],
    ['with the plan on the subscription alone', ({ items: _items, ...base }) => base],
  ])('a subscription of old %s is read', async (_which, shape) => {
    const site = await revenue.shop()
    const base = shape({ ...old({ ...price(24_000), ...PLAN }, 2), plan: PLAN })
    await revenue.deliverAll(site, [event('customer.subscription.created', base, onDay(1))])
    expect(await revenue.movements(site)).toEqual({ '2026-01-01': 4000 }) // 2 × 24 000 ÷ 12
  })

  const PLAN = {
    ...{ id: 'gold', object: 'plan', amount: 24_000, amount_decimal: '24000', currency: 'usd' },
    ...{ interval: 'year', interval_count: 1, usage_type: 'licensed', billing_scheme: 'per_unit' },
    ...{ unit_amount: 24_000, recurring: { interval: 'year', interval_count: 1, usage_type: 'licensed' } },
  }
})

describe('subscription currency', () => {
  const created = (currency: string, amount: number) =>
    event(
      'customer.subscription.created',
      subscription({ currency, items: [item(price(amount, { currency }))] }),
      onDay(1),
    )

  test('an amount in a currency without minor units is not divided', async () => {
    const site = await revenue.shop()
    expect((await revenue.call('PATCH', `${site.path}/currency`, { currency: 'JPY' })).status).toBe(200)
    await revenue.deliverAll(site, [created('jpy', 4980)])
    expect(await revenue.movements(site)).toEqual({ '2026-01-01': 4980 })
  })

  test('a subscription in another currency than the site is left out of sums', async () => {
    const site = await revenue.shop()
    await revenue.deliverAll(site, [created('eur', 500), created('usd', 70)])
    expect(await revenue.movements(site)).toEqual({ '2026-01-01': 70 })
    expect(await revenue.overview(site)).toMatchObject({ mrr: 70, kpi: { currency: 'USD' } })
  })
})
