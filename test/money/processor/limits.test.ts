import { expect, test } from 'vitest'
import { type Fact, readEvent } from '../../../src/money/processor/event.ts'
import { mrrOf } from '../../../src/money/subscriptions/mrr.ts'
import { AppError } from '../../../src/platform/errors.ts'
import {
  coupon,
  discount,
  event,
  invoice,
  item,
  type Json,
  onDay,
  price,
  refund,
  subscription,
} from '../../support/stripe.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index))

const read = (type: string, object: Json, created = onDay(1)) =>
  readEvent(JSON.stringify(event(type, object, created)), NOW)

/** Returns the field for which an event is refused with 422. */
function refusedFor(type: string, object: Json, created?: number): string | undefined {
  try {
    read(type, object, created)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error
    return Object.keys(error.fields ?? {}).join()
  }
}

const UPDATED = 'customer.subscription.updated'
const tax = (percentage: unknown) => ({ object: 'tax_rate', inclusive: true, percentage })
const percent = (percent_off: unknown) => discount(coupon({ percent_off }))
const recurring = (interval_count: number) => ({ recurring: { interval: 'day', interval_count } })
const one = (of: Json, options: Json = {}) => ({ items: [item(of, options)] })
const [manyPercents, manyTaxes] = [times(21, () => percent(1)), times(11, () => tax(1))]
const exactly = (unit_amount_decimal: unknown) => price(0, { unit_amount_decimal })

const firstItem = 'items.data.0'
const firstRate = 'default_tax_rates.0.percentage'
test.each<[string, Json, string]>([
  ['more than 100 items', { items: times(101, () => item(price(100))) }, 'items.data'],
  ['more than 20 discounts', { discounts: manyPercents }, 'discounts'],
  ['an item with 21 discounts', one(price(1), { discounts: manyPercents }), `${firstItem}.discounts`],
  ['more than 10 rates of tax', { default_tax_rates: manyTaxes }, 'default_tax_rates'],
  ['an item with 11 rates of tax', one(price(1), { tax_rates: manyTaxes }), `${firstItem}.tax_rates`],
  ['a rate of 5 decimals', { default_tax_rates: [tax(1.00001)] }, firstRate],
  ['a rate above 100 %', { default_tax_rates: [tax(100.1)] }, firstRate],
  ['a rate of 20 decimals', { default_tax_rates: [tax(`1.${'0'.repeat(19)}1`)] }, firstRate],
  ['a period of 1,096 days', one(price(1, recurring(1_096))), `${firstItem}.price.recurring.interval_count`],
  ['an amount of 13 decimals', one(exactly('0.0000000000001')), `${firstItem}.price.unit_amount_decimal`],
  ['an amount of 13 decimals as a number', one(exactly(1e-13)), `${firstItem}.price.unit_amount_decimal`],
])('subscription limits: a subscription with %s is refused', (_what, options, field) => {
  expect(refusedFor(UPDATED, subscription(options))).toBe(field)
})

test('subscription limits: a coupon of 5 decimals is refused, and so is a negative coupon', () => {
  expect(refusedFor(UPDATED, subscription({ discounts: [percent(0.00001)] }))).toMatch(/^discounts\.0/)
  expect(refusedFor('coupon.created', coupon({ percent_off: -1 }))).toBe('percent_off')
})

test('a subscription at the limits is accepted, and its MRR is computed', () => {
  const fixed = (index: number) => {
    const products = [index % 4 ? 'prod_basic' : 'prod_other', 'prod_basic']
    return discount(coupon({ amount_off: 7 + index, currency: 'usd', applies_to: { products } }))
  }
  const at = subscription({
    items: times(100, index =>
      item(price(0, { unit_amount_decimal: '1000.000000000001', ...recurring(996 + index) }), {
        quantity: 1_000_000,
        discounts: times(20, each => percent((index / 1000 + each / 10_000).toFixed(4))),
        tax_rates: times(10, each => tax((each + index / 10_000).toFixed(4))),
      }),
    ),
    discounts: times(20, index => (index % 2 ? percent(12.3456) : fixed(index))),
  })
  const { body: state } = read(UPDATED, at)!.fact as Fact<'subscription'>
  const nothing = { discounts: new Map(), coupons: new Map(), prices: new Map() }
  expect(mrrOf(state.items, state.discounts!, state.currency, nothing)).toBeGreaterThan(0)
})

test('subscription limits: numbers in exponent form are accepted as amounts', () => {
  const fact = read(UPDATED, subscription({ items: [item(exactly(1e-7))] }))!.fact as Fact<'subscription'>
  expect(fact.body.items[0]!.price!.unitAmount).toBe('0.000000100000')
})

test('subscription limits: a subscription may end at any time in the future', () => {
  expect(refusedFor(UPDATED, subscription({ cancel_at: Date.UTC(2090) / 1000 }))).toBeUndefined()
})

const DAY_AHEAD = NOW.getTime() / 1000 + 86_400
const FIRST = Date.UTC(2010) / 1000

test('event times: times from 2010 to one day ahead are accepted, others refused', () => {
  const refused = (seconds: number) => [
    refusedFor(UPDATED, subscription(), seconds),
    refusedFor('invoice.paid', invoice({ paidAt: seconds })),
    refusedFor('refund.created', refund({ created: seconds })),
  ]
  for (const seconds of [FIRST - 1, DAY_AHEAD + 1, Date.UTC(9998) / 1000])
    expect(refused(seconds)).toEqual(['created', 'status_transitions.paid_at', 'created'])
  for (const seconds of [FIRST, DAY_AHEAD])
    expect(refused(seconds)).toEqual([undefined, undefined, undefined])
})

const payments = (count: number) =>
  invoice({ payments: { data: times(count, index => ({ payment: { payment_intent: `pi_${index}` } })) } })
const charges = (count: number) => ({
  id: 'pi_1',
  object: 'payment_intent',
  charges: { data: times(count, index => `ch_${index}`) },
})

test('sale limits: 100 payments or charges are accepted and all of them read, more are refused', () => {
  expect(refusedFor('invoice.paid', payments(101))).toBe('payments.data')
  expect(refusedFor('payment_intent.succeeded', charges(101))).toBe('charges.data')
  expect(read('invoice.paid', payments(100))!.fact.saleIds).toHaveLength(101)
  expect(read('payment_intent.succeeded', charges(100))!.fact.saleIds).toHaveLength(101)
})
