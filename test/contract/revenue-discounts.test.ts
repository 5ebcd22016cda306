import { expect, test } from 'vitest'
import { coupon, discount, event, life, onDay, subscription } from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const day = (number: number) => `2026-01-0${number}`
const half = coupon({ percent_off: 50 })

test('discounts: a discount of a subscription counts from the event that starts it to the event that ends it', async () => {
  const site = await revenue.shop()
  const base = subscription()
  const given = discount(half, { subscription: base.id, customer: base.customer, start: onDay(3) })
  const [created, ...later] = life(base, [
    [1, {}],
    [3, { discounts: [given.id] }],
    [4, { discounts: [given.id], metadata: { seen: 'yes' } }],
  ])
  await revenue.deliverAll(site, [
    created!,
    event('customer.discount.created', given, onDay(3)),
    ...later,
    event('customer.discount.deleted', given, onDay(7)),
  ])
  expect(await revenue.movements(site)).toEqual({ [day(1)]: 1000, [day(3)]: -500, [day(7)]: 500 })
  expect(await revenue.log(site)).toEqual([
    `${day(1)} subscription_started`,
    `${day(3)} subscription_downgraded`,
    `${day(7)} subscription_upgraded`,
  ])
})

test('discounts: a discount of a customer is taken off every subscription without one of its own', async () => {
  const site = await revenue.shop()
  const customer = 'cus_two'
  const given = discount(half, { customer })
  const own = [discount(coupon({ percent_off: 10 }))]
  await revenue.deliverAll(site, [
    ...life(subscription({ customer }), [[1, {}]]),
    ...life(subscription({ customer, discounts: own }), [[1, {}]]),
    event('customer.discount.created', given, onDay(2)),
    event(
      'customer.discount.updated',
      { ...given, source: { coupon: coupon({ percent_off: 20 }) } },
      onDay(4),
    ),
    event('customer.discount.deleted', given, onDay(6)),
  ])
  expect(await revenue.movements(site)).toEqual({
    ...{ [day(1)]: 1900, [day(2)]: -500, [day(4)]: 300, [day(6)]: 200 },
  })
})
