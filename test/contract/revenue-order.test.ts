import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import {
  coupon,
  discount,
  event,
  invoice,
  item,
  type Json,
  onDay,
  price,
  subscription,
} from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const items = (amount: number, quantity = 1) => ({
  items: { object: 'list', data: [item(price(amount), { quantity })], has_more: false },
})

/** Stripe's events of a subscription with changes in the same second, a discount, a gap and an end. */
function longLife() {
  const base = subscription({ metadata: {} })
  const told = (type: string, day: number, change: Json, second = 0) =>
    event(`customer.subscription.${type}`, { ...base, ...change }, onDay(day, second), `evt_${randomUUID()}`)
  const bill = (day: number, billing_reason: string, amount_paid: number) => {
    const of = { subscription: base.id, customer: base.customer, billing_reason, amount_paid }
    return event('invoice.paid', invoice({ ...of, paidAt: onDay(day) }), onDay(day), `evt_${randomUUID()}`)
  }
  const given = discount(coupon({ percent_off: 50 }), { subscription: base.id, customer: base.customer })
  return [
    told('created', 1, { status: 'incomplete' }),
    told('updated', 1, {}), // in the same second
    bill(1, 'subscription_create', 1000),
    told('updated', 3, items(1000, 3)),
    told('updated', 4, { ...items(1000, 3), cancel_at_period_end: true }),
    told('updated', 5, items(1000, 3)),
    event('customer.discount.created', given, onDay(6)),
    told('updated', 6, { ...items(1000, 3), discounts: [given.id] }, 1),
    told('updated', 10, { ...items(1000, 3), discounts: [given.id], status: 'past_due' }),
    told('updated', 12, { ...items(1000, 3), discounts: [given.id], status: 'unpaid' }),
    told('updated', 14, { ...items(1000, 3), discounts: [given.id] }),
    event('customer.discount.deleted', given, onDay(16)),
    told('updated', 16, items(1000, 3), 1),
    bill(20, 'subscription_cycle', 3000),
    told('updated', 22, items(800)),
    told('updated', 25, { ...items(800), status: 'canceled' }),
    told('deleted', 25, { ...items(800), status: 'canceled' }), // in the same second
  ]
}

const MOVEMENTS = {
  ...{ '2026-01-01': 1000, '2026-01-03': 2000, '2026-01-06': -1500, '2026-01-12': -1500 },
  ...{ '2026-01-14': 1500, '2026-01-16': 1500, '2026-01-22': -2200, '2026-01-25': -800 },
}
const LOG = [
  ...['01 payment', '01 subscription_started', '03 subscription_upgraded'],
  ...['04 subscription_cancel_scheduled', '05 subscription_reactivated', '06 subscription_downgraded'],
  ...['12 subscription_ended', '14 subscription_started', '16 subscription_upgraded'],
  ...['20 payment', '20 subscription_renewed', '22 subscription_downgraded', '25 subscription_ended'],
].map(entry => `2026-01-${entry}`)

test.each<[string, <Each>(events: Each[]) => Each[]]>(
  sweep([
    ['in order, each twice', events => events.flatMap(each => [each, each])],
    ['in reverse, and then in order', events => [...events.toReversed(), ...events]],
    [
      'every third first, and then in reverse',
      events => [...events.filter((_, index) => index % 3 === 0), ...events.toReversed()],
    ],
  ]),
)('event order: events delivered %s give the same movements and lifecycle events', async (_how, order) => {
  const site = await revenue.shop()
  await revenue.deliverAll(site, order(longLife()))
  expect(await revenue.movements(site)).toEqual(MOVEMENTS)
  expect(await revenue.log(site)).toEqual(LOG)
  expect(await revenue.overview(site)).toMatchObject({
    ...{ mrr: 0, revenue: 4000, recurring_revenue: 4000, payments: 2, new_customers: 1 },
  })
})

test('event order: events delivered at the same time give the same movements and lifecycle events', async () => {
  const site = await revenue.shop()
  const answers = await Promise.all(longLife().map(each => revenue.deliver(site, each)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await revenue.movements(site)).toEqual(MOVEMENTS)
  expect(await revenue.log(site)).toEqual(LOG)
})
