import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { purgePayments } from '../../../src/money/ledger/change-payment.ts'
import {
  apiOfFile,
  charge,
  checkout,
  deliverAll,
  event,
  invoice,
  invoicePayment,
  type Json,
  onDay,
  openShop,
  refund,
  type Shop,
  type StripeEvent,
  serviceEvents,
  subscription,
} from '../../support/stripe.ts'
import { cpuOf } from '../../support/within.ts'

const api = apiOfFile()

const call = (method: string, { siteId, member: { token } }: Shop, body?: Json) =>
  api.call(method, `/api/sites/${siteId}/payments`, { token, body })

async function record(shop: Shop, transaction_id: string, fields: Json = {}): Promise<void> {
  const payment = { amount: 1000, currency: 'USD', transaction_id, ...fields }
  expect((await call('POST', shop, payment)).status).toBe(201)
}

const remove = async (shop: Shop, transaction_id: string) =>
  (await call('DELETE', shop, { transaction_id })).status

/** Returns payments as `in_1 api 1000-250`, by id; the payments and the ledger must have equal refunds. */
async function payments({ siteNo }: Shop): Promise<string[]> {
  const rows = await api.services.db<Record<string, string | number>[]>`
    select transaction_id as id, source, payments.amount_minor as amount, payments.refunded_minor as refunded,
      revenue.refunded_minor as "inLedger"
    from payments full join revenue on revenue.site_no = payments.site_no and payment_id = id
    where coalesce(payments.site_no, revenue.site_no) = ${siteNo}
    order by 1`
  for (const row of rows) expect(row.inLedger).toBe(row.refunded)
  return rows.map(({ id, source, amount, refunded }) => `${id} ${source} ${amount}-${refunded}`)
}

/** Opens a shop with these API payments, and delivers events to it. */
async function openWith(sent: Record<string, Json>, events: StripeEvent[] = []): Promise<Shop> {
  const shop = await openShop(api)
  for (const [id, fields] of Object.entries(sent)) await record(shop, id, fields)
  await deliverAll(shop, events)
  return shop
}
const purge = (shop: Shop) => purgePayments(api.services.db, shop, 'USD')
const paid = (id: string, day = 1, fields: Json = {}) =>
  event('invoice.paid', invoice({ id, paidAt: onDay(day), ...fields }), onDay(day))
const link = (bill: string, intent: string) =>
  event('invoice_payment.paid', invoicePayment(bill, intent), onDay(2))
const refunded = (intent: string, amount: number, fields: Json = {}) =>
  event('charge.refunded', charge({ payment_intent: intent, amount_refunded: amount, ...fields }), onDay(3))

describe('two API payments of one sale', () => {
  test('each is deleted by its own id, once, and a purge deletes both', async () => {
    const [one, both] = await Promise.all(
      [1, 2].map(() => openWith({ pi_h: {}, in_h: {} }, [link('in_h', 'pi_h')])),
    )
    expect([await remove(one!, 'in_h'), await remove(one!, 'in_h')]).toEqual([200, 404])
    expect(await payments(one!)).toEqual(['pi_h api 1000-0'])
    expect([await purge(both!), await payments(both!)]).toEqual([2, []])
  })

  const before = link('in_r', 'pi_r')
  const given = refunded('pi_r', 250, { id: 'ch_r' })
  const more = refunded('pi_r', 400, { id: 'ch_r' })
  test.each([
    ['before', [given, before], 250],
    ['after', [before, given], 250],
    ['twice, before and after', [given, before, { ...more, created: more.created + 9 }], 400],
  ])('a refund is counted only once, reported %s they are linked', async (_when, events, amount) => {
    const shop = await openWith({ in_r: {}, pi_r: {} }, events)
    expect(await payments(shop)).toEqual(['in_r api 1000-0', `pi_r api 1000-${amount}`])
  })
})

test.each(['in_b', 'pi_b', 'ch_b'])(
  'an API payment that the processor also reported: deleting an API payment brings back the payment of the processor, sent as %s',
  async id => {
    const charged = refunded('pi_b', 300, { id: 'ch_b' })
    const events = [paid('in_b', 1, { amount_paid: 1200 }), link('in_b', 'pi_b'), charged]
    const shop = await openWith({ [id]: {} }, events)
    expect(await payments(shop)).toEqual([`${id} api 1000-300`])
    expect(await remove(shop, id)).toBe(200)
    expect(await payments(shop)).toEqual(['in_b processor 1200-300'])
    expect(await remove(shop, id)).toBe(404)
  },
)

test('an API payment that the processor also reported: a checkout of the processor also takes its place', async () => {
  const bought = checkout({ payment_intent: 'pi_c', amount_total: 2500 })
  const shop = await openWith({ pi_c: {} }, [event('checkout.session.completed', bought, onDay(1))])
  expect([await remove(shop, 'pi_c'), await payments(shop)]).toEqual([200, ['pi_c processor 2500-0']])
})

test('an API payment that the processor also reported: deleting an API payment leaves nothing when the processor only named its id', async () => {
  const shop = await openWith({ pi_d: {} }, [link('in_d', 'pi_d'), refunded('pi_d', 300)])
  expect([await remove(shop, 'pi_d'), await payments(shop)]).toEqual([200, []])
})

test('an API payment that the processor also reported: a purge deletes an API payment with what the processor reported for it', async () => {
  const shop = await openWith({ in_e: {} }, [paid('in_e')])
  expect([await purge(shop), await payments(shop)]).toEqual([1, []])
})

test('sales: a purged payment stays deleted when another invoice of its payment intent is paid', async () => {
  const ofIntent = { payment_intent: 'pi_p' }
  const shop = await openWith({}, [paid('in_p', 1, ofIntent)])
  expect(await purge(shop)).toBe(1)
  await deliverAll(shop, [paid('in_q', 1, ofIntent)])
  expect(await payments(shop)).toEqual(['in_q processor 1000-0'])
})

/** Returns all orders of a list. */
function ordersOf<Value>(values: Value[]): Value[][] {
  if (values.length < 2) return [values]
  return values.flatMap((value, index) =>
    ordersOf(values.filter((_, other) => other !== index)).map(rest => [value, ...rest]),
  )
}

describe('two invoices of one payment intent', { tags: ['full'] }, () => {
  const told = [paid('in_1', 1), paid('in_2', 2), link('in_1', 'pi_1'), link('in_2', 'pi_1')]

  test.each([
    [2000, ['in_1 processor 1000-1000', 'in_2 processor 1000-1000']],
    [1300, ['in_1 processor 1000-1000', 'in_2 processor 1000-300']],
    [400, ['in_1 processor 1000-400', 'in_2 processor 1000-0']],
  ])(
    'two invoices of one payment intent are two payments and share the refund of %i, in any order',
    { tags: ['full'] },
    async (amount, wanted) => {
      for (const [index, order] of ordersOf(told).entries()) {
        if (index % 3 !== amount % 3) continue
        const shop = await openWith(
          {},
          order.toSpliced(index % 5, 0, refunded('pi_1', amount, { id: 'ch_1' })),
        )
        expect(await payments(shop), order.map(({ data }) => data.object.id).join()).toEqual(wanted)
      }
    },
  )

  test('an API payment of the intent counts as the older invoice', async () => {
    for (const order of ordersOf(told).filter((_, index) => index % 6 === 0)) {
      const shop = await openWith({ pi_1: {} }, order)
      expect(await payments(shop)).toEqual(['in_2 processor 1000-0', 'pi_1 api 1000-0'])
      expect(await remove(shop, 'pi_1')).toBe(200)
      expect(await payments(shop)).toEqual(['in_1 processor 1000-0', 'in_2 processor 1000-0'])
    }
  })

  test('both invoices of one payment intent can be sent through the API', async () => {
    const shop = await openWith({}, [link('in_1', 'pi_1'), link('in_2', 'pi_1')])
    await record(shop, 'in_1')
    await record(shop, 'in_2')
    await deliverAll(shop, [...told, refunded('pi_1', 1300)])
    expect(await payments(shop)).toEqual(['in_1 api 1000-1000', 'in_2 api 1000-300'])
  })

  test('each has its own visitor, or otherwise that of the intent', async () => {
    const [own, ofBoth] = [randomUUID(), randomUUID()]
    const intent = { id: 'pi_1', object: 'payment_intent', metadata: { visitor_id: ofBoth } }
    const shop = await openWith({}, [
      paid('in_1', 1, { metadata: { visitor_id: own } }),
      paid('in_2', 2),
      paid('in_3', 3),
      ...['in_1', 'in_2', 'in_3'].map(id => link(id, 'pi_1')),
      event('payment_intent.succeeded', intent, onDay(4)),
    ])
    const rows = await api.services.db`
      select visitor_id from payments where site_no = ${shop.siteNo} order by transaction_id`
    expect(rows.map(row => row.visitor_id)).toEqual([own, ofBoth, ofBoth])
  })
})

describe('an invoice of two payment intents', { tags: ['full'] }, () => {
  const bill = paid('in_1', 1, { amount_paid: 900 })
  const links = [link('in_1', 'pi_1'), link('in_1', 'pi_2')]
  const given = [refunded('pi_1', 400, { id: 'ch_1' }), refunded('pi_2', 300, { id: 'ch_2' })]

  test('an invoice of two payment intents has the refunds of both', async () => {
    const told = [bill, ...links, ...given]
    for (const order of [told, told.toReversed()])
      expect(await payments(await openWith({}, order))).toEqual(['in_1 processor 900-700'])
  })

  test('each API payment of an intent has its own refund', async () => {
    const sent = { pi_1: { amount: 400 }, pi_2: { amount: 500 } }
    const shop = await openWith(sent, [bill, ...links, ...given])
    expect(await payments(shop)).toEqual(['pi_1 api 400-400', 'pi_2 api 500-300'])
  })

  test('an invoice that shares one intent has only the refund of that intent', async () => {
    const earlier = paid('in_0', 1, { paidAt: onDay(1) - 9 })
    const shop = await openWith({}, [earlier, bill, ...links, link('in_0', 'pi_2'), ...given])
    expect(await payments(shop)).toEqual(['in_0 processor 1000-300', 'in_1 processor 900-400'])
  })
})

test('sales: a checkout is a payment until an invoice of its own intent is paid, in any order', async () => {
  const session = checkout({ payment_intent: 'pi_2', amount_total: 700 })
  const bought = event('checkout.session.completed', session, onDay(1))
  const told = [
    paid('in_1'),
    ...[link('in_1', 'pi_1'), link('in_2', 'pi_1'), link('in_2', 'pi_2')],
    refunded('pi_2', 300),
  ]
  for (const order of [
    [bought, ...told],
    [...told, bought],
  ]) {
    const shop = await openWith({}, order)
    expect(await payments(shop)).toEqual(['in_1 processor 1000-0', 'pi_2 processor 700-300'])
    await deliverAll(shop, [paid('in_2')])
    expect(await payments(shop)).toEqual(['in_1 processor 1000-0', 'in_2 processor 1000-300'])
  }
})

describe('a sale with very many ids', { tags: ['full'] }, () => {
  /** Links invoices to intents; `shared` stands for the intent of all, else they are `in_1 - pi_1 - in_2 - pi_2 - …`. */
  const linkMany = ({ siteNo }: Shop, shared: string | null = null) => api.services.db`
    insert into processor_facts (site_no, event_id, kind, at, object_id, sale_ids, body)
    select ${siteNo}, 'evt_' || link, 'link', now(), 'inpay_' || link,
      array['in_' || (link + 1) / 2, coalesce(${shared}::text, 'pi_' || link / 2)], 'null'
    from generate_series(1, 2999) as link`

  test('events are accepted without delay, and every reported payment is recorded', async () => {
    const shop = await openShop(api)
    await linkMany(shop)
    const bills = ['in_1', 'in_750', 'in_1500'].map(id => paid(id))
    const cpu = await cpuOf(() => deliverAll(shop, [...bills, refunded('pi_750', 1000)]))
    expect(cpu).toBeLessThan(10_000)
    const wanted = ['in_1 processor 1000-0', 'in_1500 processor 1000-0', 'in_750 processor 1000-1000']
    expect(await payments(shop)).toEqual(wanted)
  })

  test('events are accepted without delay when one intent pays 1,500 invoices', async () => {
    const shop = await openShop(api)
    await linkMany(shop, 'pi_many')
    const bills = ['in_7', 'in_1499'].map(id => paid(id, 1, { payment_intent: 'pi_many' }))
    const again = bills.map(each => ({ ...each, id: `${each.id}_again` }))
    expect(await cpuOf(() => deliverAll(shop, [...bills, ...again]))).toBeLessThan(10_000)
    expect(await payments(shop)).toEqual(['in_1499 processor 1000-0', 'in_7 processor 1000-0'])
  })

  test('an invoice of 100 payments is complete', { tags: ['full'] }, async () => {
    const intents = Array.from({ length: 100 }, (_, index) => `pi_${index}`)
    const charges = intents.map((id, index) => refunded(id, index === 99 ? 700 : 0, { id: `ch_${index}` }))
    const shop = await openWith({ ch_99: {} }, charges)
    const data = intents.map(payment_intent => ({ payment: { payment_intent } }))
    await deliverAll(shop, [paid('in_0', 4, { payments: { data } })])
    expect(await payments(shop)).toEqual(['ch_99 api 1000-700'])
  })
})

describe('a refund that names only its payment intent', { tags: ['full'] }, () => {
  const bill = paid('in_g')
  const linked = link('in_g', 'pi_g')
  const byCharge = refunded('pi_g', 300, { id: 'ch_g' })
  const given = (fields: Json = {}) => {
    const of = { charge: null, payment_intent: 'pi_g', amount: 300, created: onDay(3) }
    return event('refund.created', refund({ ...of, ...fields }), onDay(3))
  }
  const alone = given()
  const named = given({ id: 're_g', charge: 'ch_g' })
  const later = { ...given({ id: 're_g' }), type: 'refund.updated', created: onDay(4) }
  const otherCharge = event('charge.updated', charge({ id: 'ch_x', payment_intent: 'pi_g' }), onDay(2))

  test.each<[string, StripeEvent[], number]>([
    ['belongs to the charge', [bill, linked, byCharge, alone], 300],
    ['counts without a charge', [bill, linked, alone], 300],
    ['adds to earlier refunds of the charge', [bill, linked, byCharge, given({ created: onDay(5) })], 600],
    ['belongs to the charge it named earlier', [bill, linked, named, later, byCharge, otherCharge], 300],
    ['belongs to the charge that has refunds', [bill, linked, byCharge, otherCharge, alone], 300],
  ])('it %s', async (_what, events, amount) => {
    for (const order of [events, [...events].reverse()])
      expect(await payments(await openWith({}, order))).toEqual([`in_g processor 1000-${amount}`])
  })
})

test('refunds of API payments: a refund that was reported before the payment counts', async () => {
  const shop = await openWith({}, [refunded('pi_late', 400, { id: 'ch_late' })])
  await record(shop, 'pi_late')
  expect(await payments(shop)).toEqual(['pi_late api 1000-400'])
})

test('refunds of API payments: a payment that was sent as refunded stays fully refunded when the processor reports a partial refund', async () => {
  const shop = await openWith({ pi_k: { refunded: true } }, [refunded('pi_k', 300, { id: 'ch_k' })])
  expect(await payments(shop)).toEqual(['pi_k api 1000-1000'])
  await record(shop, 'in_k')
  await deliverAll(shop, [link('in_k', 'pi_k')])
  expect(await payments(shop)).toEqual(['in_k api 1000-0', 'pi_k api 1000-1000'])
})

test('refunds of API payments: a payment that the processor refunded can be restored when the refund fails', async () => {
  const shop = await openWith({ pi_l: {} })
  const listed = async () => (await call('GET', shop)).body.data.map((item: Json) => item.refunded)
  const given = refund({ payment_intent: 'pi_l', created: onDay(3) })
  await deliverAll(shop, [event('refund.created', given, onDay(3))])
  expect([await payments(shop), await listed()]).toEqual([['pi_l api 1000-1000'], [true]])
  await deliverAll(shop, [event('refund.failed', { ...given, status: 'failed' }, onDay(4))])
  expect([await payments(shop), await listed()]).toEqual([['pi_l api 1000-0'], [false]])
})

test('sales: a renewal stays one when a trial is granted later, and so is the payment that ends the trial', async () => {
  const granted = subscription({ id: 'sub_1', status: 'trialing' })
  const cycle = { subscription: 'sub_1', billing_reason: 'subscription_cycle' }
  const renewals = async () => {
    const rows = await api.services.db`
      select transaction_id as id from payments where site_no = ${shop.siteNo} and renewal order by 1`
    return rows.map(({ id }) => id)
  }
  const shop = await openWith({}, [paid('in_1', 1, cycle)])
  expect(await renewals()).toEqual(['in_1'])
  await deliverAll(shop, [event('customer.subscription.updated', granted, onDay(5))])
  expect(await renewals()).toEqual(['in_1'])
  await deliverAll(shop, [
    event('customer.subscription.updated', { ...granted, status: 'active' }, onDay(12)),
    paid('in_2', 12, cycle),
  ])
  expect(await renewals()).toEqual(['in_1', 'in_2'])
  expect((await serviceEvents(shop)).filter(each => each.endsWith('renewed'))).toEqual([
    '2026-01-01 subscription_renewed',
    '2026-01-12 subscription_renewed',
  ])
})
