import { expect, test } from 'vitest'
import { Coupon, Price } from '../../../src/money/processor/objects.ts'
import { Subscription } from '../../../src/money/processor/subscription-object.ts'
import { decimal, divide, ONE, roundHalfEven, whole } from '../../../src/money/subscriptions/fixed-point.ts'
import { type Definitions, mrrOf, pricesWithoutTerms } from '../../../src/money/subscriptions/mrr.ts'
import { coupon, discount, item, type Json, price, subscription } from '../../support/stripe.ts'

const NOTHING: Definitions = { discounts: new Map(), coupons: new Map(), prices: new Map() }

function mrr(options: Json & { items?: Json[] }, definitions: Definitions = NOTHING): number {
  const { state } = Subscription.parse(subscription(options))
  return mrrOf(state.items, state.discounts ?? [], state.currency, definitions)
}

// Periods, decimals and how halves are rounded: exactness.test.ts.

test('MRR of a price: the price is multiplied by the quantity, or by the number of packages', () => {
  const packs = (round: string) => price(500, { transform_quantity: { divide_by: 10, round } })
  expect(mrr({ items: [item(price(500), { quantity: 21 })] })).toBe(10_500)
  expect(mrr({ items: [item(packs('up'), { quantity: 21 })] })).toBe(1500)
  expect(mrr({ items: [item(packs('down'), { quantity: 21 })] })).toBe(1000)
  expect(mrr({ items: [item(price(500), { quantity: 0 })] })).toBe(0)
})

test('MRR of a price: metered, one-time and deleted items do not count', () => {
  const metered = price(900, { recurring: { interval: 'month', usage_type: 'metered' } })
  const once = { ...price(900, { type: 'one_time' }), recurring: null }
  const items = [item(price(100)), item(metered), item(once), item(price(900), { deleted: true })]
  expect(mrr({ items })).toBe(100)
})

test('MRR of a price: the trial of an item does not change its price', () => {
  const current_trial = { start_date: 1_767_225_600, end_date: 1_767_830_400, trial_offer: 'to_1' }
  expect(mrr({ items: [item(price(1000)), item(price(0), { current_trial })] })).toBe(1000)
  expect(mrr({ items: [item(price(300), { current_trial })] })).toBe(300)
  expect(mrr({ items: [item(price(2000), { current_trial: null })] })).toBe(2000)
})

test('MRR of a price: a plan counts like a price', () => {
  const { price: _price, ...rest } = item(price(1))
  const plan = { id: 'gold', amount: 700, interval: 'month', interval_count: 1, currency: 'usd' }
  expect(mrr({ items: [{ ...rest, plan: { ...plan, usage_type: 'licensed' } }] })).toBe(700)
  expect(mrr({ items: [{ ...rest, plan: { ...plan, amount: null, amount_decimal: '700.4' } }] })).toBe(700)
  const { items: _items, ...alone } = subscription()
  const { state } = Subscription.parse({ ...alone, plan: { ...plan, interval: 'year' }, quantity: 24 })
  expect(mrrOf(state.items, [], state.currency, NOTHING)).toBe(1400)
})

test('MRR of a price: inclusive taxes are subtracted', () => {
  const vat = { object: 'tax_rate', percentage: 19, inclusive: true }
  const sales = { object: 'tax_rate', percentage: 8.25, inclusive: false }
  expect(mrr({ items: [item(price(1190), { tax_rates: [vat] })] })).toBe(1000)
  expect(mrr({ items: [item(price(1190))], default_tax_rates: [vat] })).toBe(1000)
  expect(mrr({ items: [item(price(1000), { tax_rates: [sales] })], default_tax_rates: [vat] })).toBe(1000)
})

test('MRR of a price: a price in another currency than the subscription is left out, and no coupon is applied to it', () => {
  const items = [item(price(1000)), item(price(700, { currency: 'eur' }))]
  expect(mrr({ items })).toBe(1000)
  expect(mrr({ items, currency: 'eur' })).toBe(700)
  const off = discount(coupon({ amount_off: 500, currency: 'usd' }))
  expect(mrr({ items, discounts: [off] })).toBe(500)
  expect(mrr({ items: [items[1]!] })).toBe(0)
})

test('MRR of a price: the amount in the currency of the subscription is used', () => {
  const options = { usd: { unit_amount: 1000 }, eur: { unit_amount: null, unit_amount_decimal: '900.5' } }
  const bare = price(1000)
  const whole = { ...bare, currency_options: options }
  const two = (given: Json) => ({ items: [item(given, { quantity: 2 })], currency: 'eur' })
  expect(mrr(two(whole))).toBe(1801)
  expect(mrr(two(bare))).toBe(0)
  expect(mrr(two(bare), { ...NOTHING, prices: new Map([[bare.id, Price.parse(whole)]]) })).toBe(1801)
  expect(mrr({ ...two(whole), currency: 'gbp' })).toBe(0)
})

test('MRR of a price: a price without an amount in that currency lacks terms', () => {
  const lacking = (given: Json, currency: string, known = NOTHING) =>
    pricesWithoutTerms(
      Subscription.parse(subscription({ items: [item(given)] })).state.items,
      currency,
      known,
    )
  const bare = price(1000)
  const whole = { ...bare, currency_options: { eur: { unit_amount: 900 } } }
  const known = { ...NOTHING, prices: new Map([[bare.id, Price.parse(whole)]]) }
  expect(lacking(bare, 'USD')).toEqual([])
  expect(lacking(bare, 'EUR')).toEqual([bare.id])
  expect(lacking(whole, 'EUR')).toEqual([])
  expect(lacking(bare, 'EUR', known)).toEqual([])
  expect(lacking(bare, 'GBP', known)).toEqual([])
})

test('MRR of a price: an amount beyond exact numbers is refused', () => {
  expect(() => mrr({ items: [item(price(9e14), { quantity: 9 })] })).toThrow(RangeError)
})

const tiers = [
  { up_to: 10, unit_amount: 500, flat_amount: 1000 },
  { up_to: 20, unit_amount: 300, flat_amount: null, unit_amount_decimal: '300' },
  { up_to: null, unit_amount: 100, flat_amount: 50 },
]
const tiered = (tiers_mode: string, rest: Json = { tiers }) =>
  price(0, { unit_amount: null, unit_amount_decimal: null, billing_scheme: 'tiered', tiers_mode, ...rest })

test.each([
  ['graduated', 'each unit by its own tier', { 0: 1000, 1: 1500, 10: 6000, 11: 6300, 20: 9000, 25: 9550 }],
  ['volume', 'all units by the last tier', { 1: 1500, 10: 6000, 11: 3300, 20: 6000, 25: 2550 }],
])('MRR of tiers: %s tiers price %s', (mode, _how, costs) => {
  const costOf = (quantity: string) => mrr({ items: [item(tiered(mode), { quantity: Number(quantity) })] })
  expect(Object.fromEntries(Object.keys(costs).map(each => [each, costOf(each)]))).toEqual(costs)
})

test('MRR of tiers: unknown tiers count as nothing until they are known', () => {
  const bare = tiered('volume', {})
  const items = [item(bare, { quantity: 5 }), item(price(100))]
  expect(mrr({ items })).toBe(100)
  const { state } = Subscription.parse(subscription({ items }))
  expect(pricesWithoutTerms(state.items, state.currency, NOTHING)).toEqual([bare.id])
  const known = { ...NOTHING, prices: new Map([[bare.id, Price.parse(tiered('volume'))]]) }
  expect(mrr({ items }, known)).toBe(3600)
  expect(pricesWithoutTerms(state.items, state.currency, known)).toEqual([])
})

const percent = (percent_off: number, rest: Json = {}) => discount(coupon({ percent_off, ...rest }))
const amount = (amount_off: number, rest: Json = {}) =>
  discount(coupon({ amount_off, currency: 'usd', ...rest }))

test.each<[string, Json[], number]>([
  ['a share', [percent(25)], 750],
  ['an exact share', [percent(33.33)], 667],
  ['everything', [percent(100)], 0],
  ['an amount', [amount(300)], 700],
  ['more than the price', [amount(3000)], 0],
  ['an amount of another currency', [amount(300, { currency: 'eur' })], 1000],
  [
    'its amount in this currency',
    [amount(1, { currency: 'eur', currency_options: { usd: { amount_off: 300 } } })],
    700,
  ],
  ['two discounts one after the other', [amount(500), percent(10)], 450],
  ['nothing when it is for one invoice', [percent(50, { duration: 'once' })], 1000],
  ['nothing when it ends', [percent(50, { duration: 'repeating', duration_in_months: 12 })], 1000],
  ['nothing from other products', [percent(50, { applies_to: { products: ['prod_other'] } })], 1000],
  ['a share of its products', [percent(50, { applies_to: { products: ['prod_basic'] } })], 500],
])('MRR and coupons: a coupon takes off %s', (_what, discounts, expected) => {
  expect(mrr({ discounts })).toBe(expected)
})

test('MRR and coupons: a fixed amount is taken off each invoice', () => {
  const yearly = { items: [item(price(12_000, { recurring: { interval: 'year' } }))] }
  expect(mrr({ ...yearly, discounts: [amount(2400)] })).toBe(800)
})

test('MRR and coupons: a coupon of an item leaves the other items unchanged', () => {
  expect(mrr({ items: [item(price(1000), { discounts: [percent(50)] }), item(price(1000))] })).toBe(1500)
})

test('MRR and coupons: a coupon is found by the id in its discount', () => {
  const half = coupon({ percent_off: 50 })
  const byId = discount(half.id)
  const coupons = new Map([[half.id, Coupon.parse(half)]])
  expect(mrr({ discounts: [byId] })).toBe(1000)
  expect(mrr({ discounts: [byId] }, { ...NOTHING, coupons })).toBe(500)
})

test('decimal numbers are read exactly', () => {
  const texts = ['12.5', '-0.25', '0.000000000001', '1.5e3', '1e-7', '0']
  const numbers = [25n * (ONE / 2n), -ONE / 4n, ONE / 10n ** 12n, 1500n * ONE, ONE / 10n ** 7n, 0n]
  expect(texts.map(decimal)).toEqual(numbers)
})

test.each(['', 'x', '1,5', '0x10', '1e999', '1.'])('decimal numbers: %j is refused', text => {
  expect(() => decimal(text)).toThrow(RangeError)
})

test('decimal numbers: fractions are rounded to the nearest, halves to even', () => {
  const quarters = [-7, -6, -2, 2, 5, 6, 7, 10]
  const rounded = quarters.map(count => roundHalfEven(divide(whole(count), whole(4))))
  expect(rounded).toEqual([-2n, -2n, 0n, 0n, 1n, 2n, 2n, 2n])
})

test('decimal numbers: a number just above or below a half is not rounded like the half', () => {
  const tiny = decimal('0.000000000000000000000000000001')
  expect(roundHalfEven(decimal('2.5') + tiny)).toBe(3n)
  expect(roundHalfEven(decimal('3.5') - tiny)).toBe(3n)
})
