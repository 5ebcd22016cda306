import { expect, test } from 'vitest'
import {
  apiOfFile,
  coupon,
  deliverAll,
  discount,
  event,
  item,
  type Json,
  life,
  netMovements,
  onDay,
  openShop,
  price,
  type StripeEvent,
  subscription,
} from '../../support/stripe.ts'

const api = apiOfFile()

const percent = (percent_off: number) => ({ source: { coupon: coupon({ percent_off }), type: 'coupon' } })
const off = (percent_off: number, of: Json) => discount(coupon({ percent_off }), of)

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

const given = () => {
  const base = subscription()
  return { base, of: { subscription: base.id, customer: base.customer } }
}

test.each<[string, (half: Json, fifth: Json) => StripeEvent, Record<string, number>]>([
  ['a change of one keeps the other', half => told('updated', { ...half, ...percent(10) }, 2), { '02': 320 }],
  ['removing one keeps the other', (_half, fifth) => told('deleted', fifth, 2), { '02': 100 }],
  [
    'two are applied before a third one',
    half => told('created', { ...half, id: 'di_third', ...percent(50) }, 2),
    { '02': -200 },
  ],
])('two discounts of a subscription: %s', async (_what, change, moved) => {
  const { base, of } = given()
  const [half, fifth] = [off(50, of), off(20, of)]
  const events = [created({ ...base, discounts: [half, fifth] }), change(half, fifth)]
  expect(await movements(events)).toEqual({ '01': 400, ...moved })
})

test('two discounts of a subscription: a repeated report of one of two discounts applies both once, in the same order', async () => {
  const { base, of } = given()
  const first = discount(coupon({ amount_off: 500, currency: 'usd' }), of)
  const events = [created({ ...base, discounts: [first.id, off(50, of)] }), told('created', first, 2)]
  expect(await movements(events)).toEqual({ '01': 250 })
})

test('discounts: a discount of a subscription counts from the event that starts it to the event that ends it', async () => {
  const base = subscription()
  const given = off(50, { subscription: base.id, customer: base.customer, start: onDay(3) })
  const [made, ...later] = life(base, [
    [1, {}],
    [3, { discounts: [given.id] }],
    [4, { discounts: [given.id], metadata: { seen: 'yes' } }],
  ])
  const events = [made!, told('created', given, 3), ...later, told('deleted', given, 7)]
  expect(await movements(events)).toEqual({ '01': 1000, '03': -500, '07': 500 })
})

test('discounts: a discount of a customer is taken off every subscription without one of its own', async () => {
  const customer = 'cus_two'
  const given = off(50, { customer })
  const events = [
    created(subscription({ customer })),
    created(subscription({ customer, discounts: [off(10, {})] })),
    told('created', given, 2),
    told('updated', { ...given, ...percent(20) }, 4),
    told('deleted', given, 6),
  ]
  expect(await movements(events)).toEqual({ '01': 1900, '02': -500, '04': 300, '06': 200 })
})

test.each([
  ['a checkout', { checkout_session: 'cs_1' }],
  ['an invoice', { invoice: 'in_1' }],
  ['an invoice that is given whole', { invoice: { id: 'in_1' }, subscription: 'sub_of_sale' }],
  ['an invoice item', { invoice_item: 'ii_1' }],
])(
  'discounts: one that belongs to %s alone changes no MRR, and not the discount of the customer',
  async (_what, ofSale) => {
    const base = subscription({ id: `sub_of_sale` })
    const { customer } = base
    const own = off(50, { customer })
    const once = off(20, { customer, ...ofSale })
    const start = [told('created', own, 0), created(base)]
    const events = [
      told('created', once, 2),
      told('updated', { ...once, ...percent(30) }, 3),
      event('customer.subscription.updated', { ...base, discounts: [once] }, onDay(4)),
      told('deleted', once, 5),
    ]
    expect(await movements([...start, ...events])).toEqual({ '01': 500 })
    expect(await movements([...events.toReversed(), ...start])).toEqual({ '01': 500 })
  },
)

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

/** Delivers the events after the start, as they are and the other way round. */
async function expectMovements(start: StripeEvent[], events: StripeEvent[], wanted: Record<string, number>) {
  for (const order of [events, events.toReversed()])
    expect(await movements([...start, ...order])).toEqual(wanted)
}

test('discount events within one second, in either order: a discount that is added and removed is gone', async () => {
  const base = subscription()
  const given = off(50, { subscription: base.id, customer: base.customer })
  const events = [
    told('created', given, 2, `evt_z_${base.id}`),
    told('updated', given, 2, `evt_m_${base.id}`),
    told('deleted', given, 2, `evt_a_${base.id}`),
  ]
  await expectMovements([created(base)], events, { '01': 1000 })
})

const replaced = (old: Json, fresh: Json, { id }: Json) => [
  told('deleted', old, 2, `evt_z_${id}`),
  told('created', fresh, 2, `evt_a_${id}`),
]

test('discount events within one second, in either order: a discount of a customer replaces another', async () => {
  const base = subscription()
  const [old, fresh] = [off(50, { customer: base.customer }), off(20, { customer: base.customer })]
  const start = [told('created', old, 0), created(base)]
  await expectMovements(start, replaced(old, fresh, base), { '01': 500, '02': 300 })
})

test('discount events within one second, in either order: a discount without an id replaces another', async () => {
  const base = subscription()
  const bare = (percent_off: number) => ({ ...off(percent_off, { subscription: base.id }), id: undefined })
  const start = [created({ ...base, discount: bare(50), discounts: undefined })]
  await expectMovements(start, replaced(bare(50), bare(20), base), { '01': 500, '02': 300 })
})
