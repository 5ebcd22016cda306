// @module-tag full
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readEvent } from '../../../src/money/processor/event.ts'
import {
  apiOfFile,
  checkout,
  deliverAll,
  event,
  item,
  type Json,
  netMovements,
  onDay,
  openShop,
  price,
  type Shop,
  serviceEvents,
  subscription,
} from '../../support/stripe.ts'
import { shapes, storyOf } from '../../support/stripe-versions.ts'

const api = apiOfFile()

async function payments({ siteNo }: Shop): Promise<string[]> {
  const rows = await api.services.db<{ payment: string }[]>`
    select concat_ws(' ', left(transaction_id, 4), amount_minor, refunded_minor, renewal) as payment
    from payments where site_no = ${siteNo} order by 1`
  return rows.map(({ payment }) => payment)
}

const suffix = () => randomUUID().slice(0, 8)

test.each(shapes)(
  'API versions, the same subscription has the same ledger in version: $version with $discountIn',
  async shape => {
    for (const isReversed of [false, true]) {
      const shop = await openShop(api)
      const { events } = storyOf(shape, suffix())
      await deliverAll(shop, isReversed ? events.reverse() : events)
      expect(await netMovements(shop), `${isReversed}`).toEqual({
        ...{ '2026-01-01 start USD': 3000, '2026-01-10 upgrade USD': 3000, '2026-03-01 end USD': -6000 },
      })
      expect(await payments(shop)).toEqual(['in_1 3000 0 f', 'in_2 3000 500 t'])
      expect(await serviceEvents(shop)).toEqual([
        ...['2026-01-01 payment', '2026-01-01 subscription_started', '2026-01-10 subscription_upgraded'],
        ...['2026-02-01 payment', '2026-02-01 subscription_renewed'],
        ...['2026-02-09 subscription_cancel_scheduled', '2026-03-01 subscription_ended'],
      ])
    }
  },
)

test('API versions: ids beside their objects give the same ledger as the objects', async () => {
  const { subscription, discount, told } = storyOf(shapes.at(-3)!, suffix())
  const [own, ofItem] = ['di_own', 'di_item'].map(id => ({ ...discount, id }))
  const item = subscription(1).items.data[0]
  const mrr = async (changes: object) => {
    const shop = await openShop(api)
    await deliverAll(shop, [told('customer.subscription.created', subscription(1, changes), onDay(1))])
    return Object.values(await netMovements(shop))
  }
  const items = (discounts: unknown[], more: object = {}) => ({
    items: { object: 'list', data: [{ ...item, discounts, ...more }], has_more: false },
  })
  // 25 % off 4,000, twice.
  expect(await mrr({ discount: own, discounts: ['di_own'], ...items([ofItem]) })).toEqual([2250])
  expect(await mrr({ discount: own, discounts: ['di_own'], ...items(['di_own']) })).toEqual([2250])
  expect(await mrr({ discount: null, discounts: [ofItem], ...items(['di_item']) })).toEqual([2250])
  const onItem = { discount: ofItem }
  expect(await mrr({ discount: null, discounts: [], ...items(['di_item'], onItem) })).toEqual([3000])
  expect(await mrr({ discount: null, discounts: [], ...items([], onItem) })).toEqual([3000])
  // An id refers only to an object that has this id.
  expect(await mrr({ discount: own, discounts: ['di_own', 'di_other'] })).toEqual([3000])
  expect(await mrr({ discount: own, discounts: ['di_other', 'di_another'] })).toEqual([4000])
  // Discounts of old versions have no id: the id refers to the only discount.
  expect(await mrr({ discount: { ...own, id: undefined }, discounts: ['di_own'] })).toEqual([3000])
})

const read = (type: string, object: Json) =>
  readEvent(JSON.stringify(event(type, object, onDay(1))), new Date('2026-03-01'))?.fact.body

test('API versions: an invalid plan beside a price is ignored', () => {
  const plan = { id: 'price_1', object: 'plan', currency: 'none', interval: 'eon', amount: 700 }
  const given = { items: [item(price(4000), { plan })], plan, quantity: 3 }
  expect(read('customer.subscription.updated', subscription(given))).toMatchObject({
    items: [{ price: { unitAmount: '4000' }, quantity: 1 }],
  })
})

test.each([
  ['as a sale', { payment_intent: 'pi_1' }, { transactionId: 'pi_1', amountMinor: 2500 }],
  ['as no sale of a subscription', { payment_intent: null, subscription: 'sub_1' }, null],
  ['as no sale of a set-up', { payment_intent: null, setup_intent: 'seti_1' }, null],
])('a checkout without a mode, as in the first API versions, is read %s', (_what, fields, paid) => {
  for (const mode of [null, undefined]) {
    const body = read('checkout.session.completed', checkout({ mode, ...fields }))
    expect(body).toEqual(paid && expect.objectContaining(paid))
  }
})
