import { describe, expect, test } from 'vitest'
import {
  apiOfFile,
  coupon,
  deliverAll,
  discount,
  event,
  item,
  type Json,
  netMovements,
  onDay,
  openShop,
  price,
  type StripeEvent,
  subscription,
} from '../../support/stripe.ts'

const api = apiOfFile()

const percent = (percent_off: number) => ({ source: { coupon: coupon({ percent_off }), type: 'coupon' } })
const off = (percent_off: number, of: Json, id?: string) =>
  discount(coupon({ percent_off }), { ...of, ...(id && { id }) })

const created = (object: Json) => event('customer.subscription.created', object, onDay(1))
const told = (change: string, object: Json, day: number, id?: string) =>
  event(`customer.discount.${change}`, object, onDay(day), id)

/** Returns the net movements that the events cause, by day. */
async function movements(events: StripeEvent[]): Promise<Record<string, number>> {
  const shop = await openShop(api)
  await deliverAll(shop, events)
  const days: Record<string, number> = {}
  for (const [key, sum] of Object.entries(await netMovements(shop))) {
    const day = key.slice(8, 10)
    days[day] = (days[day] ?? 0) + sum
  }
  return Object.fromEntries(Object.entries(days).filter(([, sum]) => sum !== 0))
}

describe('two discounts of a subscription', () => {
  const given = (change: (half: Json, fifth: Json) => StripeEvent[]) => {
    const base = subscription()
    const of = { subscription: base.id, customer: base.customer }
    const [half, fifth] = [off(50, of), off(20, of)]
    return [created({ ...base, discounts: [half, fifth] }), ...change(half, fifth)]
  }

  test('a change of one keeps the other', async () => {
    const events = given(half => [told('updated', { ...half, ...percent(10) }, 2)])
    expect(await movements(events)).toEqual({ '01': 400, '02': 320 })
  })

  test('removing one of two discounts keeps the other', async () => {
    const events = given((_half, fifth) => [told('deleted', fifth, 2)])
    expect(await movements(events)).toEqual({ '01': 400, '02': 100 })
  })

  test('a repeated report of one of two discounts applies both once, in the same order', async () => {
    const base = subscription()
    const of = { subscription: base.id, customer: base.customer }
    const first = discount(coupon({ amount_off: 500, currency: 'usd' }), of)
    const second = off(50, of)
    const events = [created({ ...base, discounts: [first.id, second] }), told('created', first, 2)]
    expect(await movements(events)).toEqual({ '01': 250 })
  })

  test('two discounts are applied before a third one', async () => {
    const events = given(half => [told('created', { ...half, id: 'di_third', ...percent(50) }, 2)])
    expect(await movements(events)).toEqual({ '01': 400, '02': -200 })
  })
})

test('discounts: the only discount of a subscription is replaced by one with another id', async () => {
  const base = subscription()
  const of = { subscription: base.id, customer: base.customer }
  const events = [created({ ...base, discounts: [off(50, of)] }), told('updated', off(20, of), 2)]
  expect(await movements(events)).toEqual({ '01': 500, '02': 300 })
})

test('discounts: a changed discount of an item keeps the others of the item', async () => {
  const [half, fifth] = [off(50, {}), off(20, {})]
  const items = [item(price(1000), { id: 'si_1', discounts: [half, fifth] }), item(price(1000))]
  const base = subscription({ items })
  const changed = { ...fifth, ...percent(40), subscription: base.id, subscription_item: 'si_1' }
  expect(await movements([created(base), told('updated', changed, 2)])).toEqual({ '01': 1400, '02': -100 })
})

describe('discount events within one second', () => {
  const orders: [string, (events: StripeEvent[]) => StripeEvent[]][] = [
    ['as it was', events => events],
    ['the other way round', events => [...events].reverse()],
  ]

  test.each(orders)('a discount that is added and removed is gone, delivered %s', async (_how, order) => {
    const base = subscription()
    const given = off(50, { subscription: base.id, customer: base.customer })
    const events = [
      told('created', given, 2, `evt_z_${base.id}`),
      told('updated', given, 2, `evt_m_${base.id}`),
      told('deleted', given, 2, `evt_a_${base.id}`),
    ]
    expect(await movements([created(base), ...order(events)])).toEqual({ '01': 1000 })
  })

  test.each(orders)('a discount of a customer replaces another, delivered %s', async (_how, order) => {
    const base = subscription()
    const [old, fresh] = [off(50, { customer: base.customer }), off(20, { customer: base.customer })]
    const events = [
      told('deleted', old, 2, `evt_z_${base.id}`),
      told('created', fresh, 2, `evt_a_${base.id}`),
    ]
    const start = [told('created', old, 0), created(base)]
    expect(await movements([...start, ...order(events)])).toEqual({ '01': 500, '02': 300 })
  })

  test.each(orders)('a discount without an id replaces another, delivered %s', async (_how, order) => {
    const base = subscription()
    const bare = (percent_off: number) => ({ ...off(percent_off, { subscription: base.id }), id: undefined })
    const events = [
      told('deleted', bare(50), 2, `evt_z_${base.id}`),
      told('created', bare(20), 2, `evt_a_${base.id}`),
    ]
    const start = created({ ...base, discount: bare(50), discounts: undefined })
    expect(await movements([start, ...order(events)])).toEqual({ '01': 500, '02': 300 })
  })
})
