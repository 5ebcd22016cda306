import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coupon, discount, event, type Json, onDay, subscription } from '../support/stripe.ts'
import { type Revenue, startRevenue } from './revenue-shop.ts'

let revenue: Revenue
beforeAll(async () => {
  revenue = await startRevenue()
})
afterAll(() => revenue.close())

const life = (base: Json, steps: [day: number, change: Json][]) =>
  steps.map(([at, change], index) =>
    event(`customer.subscription.${index === 0 ? 'created' : 'updated'}`, { ...base, ...change }, onDay(at)),
  )
const day = (number: number) => `2026-01-0${number}`

describe('discounts', () => {
  const half = coupon({ percent_off: 50 })

  test('a discount of a subscription counts from the event that starts it to the event that ends it', async () => {
    const site = await revenue.shop()
    const base = subscription()
    const given = discount(half, { subscription: base.id, customer: base.customer, start: onDay(3) })
    await revenue.deliverAll(site, [
      ...life(base, [[1, {}]]),
      event('customer.discount.created', given, onDay(3)),
      ...life(base, [
        [3, { discounts: [given.id] }],
        [4, { discounts: [given.id], metadata: { seen: 'yes' } }],
      ]).slice(1),
      event('customer.discount.deleted', given, onDay(7)),
    ])
    expect(await revenue.movements(site)).toEqual({ [day(1)]: 1000, [day(3)]: -500, [day(7)]: 500 })
    expect(await revenue.log(site)).toEqual([
      `${day(1)} subscription_started`,
      `${day(3)} subscription_downgraded`,
      `${day(7)} subscription_upgraded`,
    ])
  })

  test('a discount in the old shape, with its coupon in it, is taken off too', async () => {
    const site = await revenue.shop()
    const base = subscription()
    const { source: _source, ...rest } = discount(half, { subscription: base.id, customer: base.customer })
    const once = { ...rest, id: 'di_once', coupon: coupon({ percent_off: 90, duration: 'once' }) }
    const old = { ...rest, coupon: half }
    await revenue.deliverAll(site, [
      ...life(base, [
        [1, { discount: once, discounts: [once.id] }],
        [2, { discount: old }],
      ]),
    ])
    expect(await revenue.movements(site)).toEqual({ [day(1)]: 1000, [day(2)]: -500 })
  })

  test('a discount of a customer is taken off their subscriptions', async () => {
    const site = await revenue.shop()
    const base = subscription()
    const given = discount(half, { customer: base.customer })
    await revenue.deliverAll(site, [
      ...life(base, [[1, {}]]),
      event('customer.discount.created', given, onDay(2)),
      event(
        'customer.discount.updated',
        { ...given, source: { coupon: coupon({ percent_off: 10 }) } },
        onDay(4),
      ),
      event('customer.discount.deleted', given, onDay(6)),
    ])
    expect(await revenue.movements(site)).toEqual({
      ...{ [day(1)]: 1000, [day(2)]: -500, [day(4)]: 400, [day(6)]: 100 },
    })
  })
})
