import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import {
  charge,
  checkout,
  coupon,
  deliver,
  deliverAll,
  discount,
  event,
  invoice,
  invoicePayment,
  item,
  type Json,
  netMovements,
  onDay,
  openShop,
  price,
  refund,
  type Shop,
  type StripeEvent,
  serviceEvents,
  sign,
  subscription,
} from '../support/stripe.ts'
import { openWire } from '../support/wire.ts'

let api: Api
/** Time of the stopped clock, Unix milliseconds, for tests that must stay within one minute. */
let frozenAt: number | undefined
beforeAll(async () => {
  api = await startApi({ config: { trustProxy: 1 }, now: () => new Date(frozenAt ?? Date.now()) })
})
afterAll(() => api.close())

/** Changes of one subscription: `[day, changed fields, type of the event]`. */
function life(base: Json, ...steps: [day: number, change: Json, type?: string][]): StripeEvent[] {
  return steps.map(([day, change, type = 'updated'], index) =>
    event(`customer.subscription.${index === 0 ? 'created' : type}`, { ...base, ...change }, onDay(day)),
  )
}

const items = (...each: Json[]) => ({ object: 'list', data: each, has_more: false })

async function payments(shop: Shop): Promise<Json[]> {
  return shop.api.services.db`
    select transaction_id as "transactionId", amount_minor as amount, refunded_minor as refunded, currency, recurring,
      renewal, source, visitor_id as "visitorId", customer_id as "customerId", paid_at as "paidAt"
    from payments where site_no = ${shop.siteNo} order by paid_at, transaction_id`
}

describe('subscriptions', () => {
  test('a subscription starts, changes and ends', async () => {
    const shop = await openShop(api)
    const base = subscription()
    await deliverAll(
      shop,
      life(
        base,
        [1, { status: 'incomplete' }],
        [2, { status: 'active' }],
        [3, { items: items(item(price(3000))) }],
        [4, { items: items(item(price(500), { quantity: 4 })) }],
        [5, { status: 'past_due', items: items(item(price(500), { quantity: 4 })) }],
        [6, { status: 'canceled', items: items(item(price(500), { quantity: 4 })) }, 'deleted'],
      ),
    )
    expect(await netMovements(shop)).toEqual({
      '2026-01-02 start USD': 1000,
      '2026-01-03 upgrade USD': 2000,
      '2026-01-04 downgrade USD': -1000,
      '2026-01-06 end USD': -2000,
    })
    expect(await serviceEvents(shop)).toEqual([
      '2026-01-02 subscription_started',
      '2026-01-03 subscription_upgraded',
      '2026-01-04 subscription_downgraded',
      '2026-01-06 subscription_ended',
    ])
  })

  test.each(['incomplete', 'unpaid', 'paused'])('a subscription starts again after %s', async status => {
    const shop = await openShop(api)
    await deliverAll(
      shop,
      life(subscription(), [1, { status }], [2, {}], [3, { status }], [4, { status: 'past_due' }]),
    )
    expect(await netMovements(shop)).toEqual({
      '2026-01-02 start USD': 1000,
      '2026-01-03 end USD': -1000,
      '2026-01-04 start USD': 1000,
    })
    expect(await serviceEvents(shop)).toEqual([
      '2026-01-02 subscription_started',
      '2026-01-03 subscription_ended',
      '2026-01-04 subscription_started',
    ])
  })

  test('a trial counts once it is over', async () => {
    const shop = await openShop(api)
    await deliverAll(shop, life(subscription(), [1, { status: 'trialing' }], [15, { status: 'active' }]))
    expect(await netMovements(shop)).toEqual({ '2026-01-15 start USD': 1000 })
    expect(await serviceEvents(shop)).toEqual(['2026-01-01 trial_started', '2026-01-15 trial_converted'])
  })

  test('a trial that was canceled never counts', async () => {
    const shop = await openShop(api)
    await deliverAll(
      shop,
      life(subscription(), [1, { status: 'trialing' }], [9, { status: 'canceled' }, 'deleted']),
    )
    expect(await netMovements(shop)).toEqual({})
    expect(await serviceEvents(shop)).toEqual(['2026-01-01 trial_started'])
  })

  test.each([
    ['cancel_at_period_end', true, false],
    ['cancel_at', onDay(31), null],
  ])('an event is recorded when %s is set and cleared', async (field, set, cleared) => {
    const shop = await openShop(api)
    await deliverAll(shop, life(subscription(), [1, {}], [2, { [field]: set }], [3, { [field]: cleared }]))
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
    expect(await serviceEvents(shop)).toEqual([
      '2026-01-01 subscription_started',
      '2026-01-02 subscription_cancel_scheduled',
      '2026-01-03 subscription_reactivated',
    ])
  })

  test('a subscription counts while only its collection is paused', async () => {
    const shop = await openShop(api)
    const paused = { pause_collection: { behavior: 'void', resumes_at: null } }
    await deliverAll(shop, life(subscription(), [1, {}], [2, paused]))
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
  })

  test('a subscription is stored in its own currency', async () => {
    const shop = await openShop(api)
    const yen = { currency: 'jpy', items: items(item(price(4980, { currency: 'jpy' }))) }
    const dinar = { currency: 'kwd', items: items(item(price(12_340, { currency: 'kwd' }))) }
    await deliverAll(shop, [
      ...life({ ...subscription(), ...yen }, [1, yen]),
      ...life({ ...subscription(), ...dinar }, [1, dinar]),
    ])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start JPY': 4980, '2026-01-01 start KWD': 12_340 })
  })

  test('a subscription of an old API version has plan, quantity and discount on itself', async () => {
    const shop = await openShop(api)
    const { items: _items, discounts: _discounts, currency: _currency, ...rest } = subscription()
    const plan = {
      id: 'gold',
      object: 'plan',
      amount: 12_000,
      currency: 'usd',
      interval: 'year',
      interval_count: 1,
    }
    const half = {
      id: 'di_old',
      object: 'discount',
      coupon: coupon({ percent_off: 50 }),
      customer: rest.customer,
    }
    const old = { ...rest, plan, quantity: 2, current_period_start: onDay(1), current_period_end: onDay(366) }
    await deliverAll(shop, life(old, [1, { discount: null }], [2, { discount: half }]))
    expect(await netMovements(shop)).toEqual({
      '2026-01-01 start USD': 2000,
      '2026-01-02 downgrade USD': -1000,
    })
  })
})

describe('coupons', () => {
  test('a coupon that lasts forever is subtracted, one that ends is not', async () => {
    const shop = await openShop(api)
    const limited = discount(coupon({ percent_off: 90, duration: 'repeating', duration_in_months: 3 }))
    const forever = discount(coupon({ percent_off: 25 }))
    await deliverAll(
      shop,
      life(
        subscription(),
        [1, { discounts: [limited] }],
        [2, { discounts: [limited, forever] }],
        [3, { discounts: [] }],
      ),
    )
    expect(await netMovements(shop)).toEqual({
      '2026-01-01 start USD': 1000,
      '2026-01-02 downgrade USD': -250,
      '2026-01-03 upgrade USD': 250,
    })
  })

  test('a coupon is found by the id of its discount', async () => {
    const shop = await openShop(api)
    const base = subscription()
    const given = discount(coupon({ amount_off: 300, currency: 'usd' }), {
      subscription: base.id,
      customer: base.customer,
    })
    const [created, updated] = life(base, [1, {}], [2, { discounts: [given.id] }])
    await deliverAll(shop, [created!, updated!])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
    await deliverAll(shop, [event('customer.discount.created', given, onDay(2))])
    expect(await netMovements(shop)).toEqual({
      '2026-01-01 start USD': 1000,
      '2026-01-02 downgrade USD': -300,
    })
    await deliverAll(shop, [event('customer.discount.deleted', given, onDay(5))])
    expect(await netMovements(shop)).toMatchObject({ '2026-01-05 upgrade USD': 300 })
    expect(await serviceEvents(shop)).toEqual([
      '2026-01-01 subscription_started',
      '2026-01-02 subscription_downgraded',
      '2026-01-05 subscription_upgraded',
    ])
  })

  test('a coupon of a customer is subtracted from every subscription without one of its own', async () => {
    const shop = await openShop(api)
    const customer = 'cus_two'
    const own = [discount(coupon({ percent_off: 10 }))]
    const first = coupon({ percent_off: 50 })
    const given = discount(first, { customer })
    await deliverAll(shop, [
      ...life(subscription({ customer }), [1, {}]),
      ...life(subscription({ customer, discounts: own }), [1, {}]),
      event('customer.discount.created', given, onDay(2)),
      event(
        'customer.discount.updated',
        { ...given, source: { coupon: coupon({ percent_off: 20 }) } },
        onDay(3),
      ),
      event('customer.discount.deleted', given, onDay(4)),
    ])
    expect(await netMovements(shop)).toEqual({
      '2026-01-01 start USD': 1900,
      '2026-01-02 downgrade USD': -500,
      '2026-01-03 upgrade USD': 300,
      '2026-01-04 upgrade USD': 200,
    })
  })

  test('a coupon that payloads name only by id is known from its own event', async () => {
    const shop = await openShop(api)
    const third = coupon({ percent_off: 30 })
    const base = subscription({ discounts: [discount(third.id)] })
    await deliverAll(shop, life(base, [1, {}]))
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
    await deliverAll(shop, [event('coupon.created', third, onDay(0))])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 700 })
  })
})

describe('invoices', () => {
  test('an invoice of a subscription is a payment, of a later cycle a renewal', async () => {
    const shop = await openShop(api)
    const base = subscription()
    const one = { subscription: base.id, customer: base.customer }
    const first = invoice({ ...one, paidAt: onDay(1) })
    const second = invoice({ ...one, paidAt: onDay(32), billing_reason: 'subscription_cycle' })
    const change = invoice({
      ...one,
      paidAt: onDay(40),
      billing_reason: 'subscription_update',
      amount_paid: 70,
    })
    await deliverAll(shop, [
      ...life(base, [1, {}]),
      // Stripe sends both for one invoice.
      event('invoice.paid', first, onDay(1, 3)),
      event('invoice.payment_succeeded', first, onDay(1, 3)),
      event('invoice.paid', second, onDay(32, 3)),
      event('invoice.paid', change, onDay(40, 3)),
      event('invoice.paid', invoice({ ...one, amount_paid: 0 }), onDay(41)),
    ])
    expect(await payments(shop)).toMatchObject([
      {
        transactionId: first.id,
        amount: 1000,
        currency: 'USD',
        recurring: true,
        renewal: false,
        source: 'processor',
      },
      { transactionId: second.id, recurring: true, renewal: true, customerId: base.customer },
      { transactionId: change.id, amount: 70, recurring: true, renewal: false },
    ])
    expect(await serviceEvents(shop)).toEqual([
      '2026-01-01 payment',
      '2026-01-01 subscription_started',
      '2026-02-01 payment',
      '2026-02-01 subscription_renewed',
      '2026-02-09 payment',
    ])
  })

  test('the first cycle after a trial is no renewal, whatever event arrives first', async () => {
    const shop = await openShop(api)
    const base = subscription()
    const cycle = (day: number) =>
      invoice({
        subscription: base.id,
        customer: base.customer,
        paidAt: onDay(day),
        billing_reason: 'subscription_cycle',
      })
    const [first, second] = [cycle(15), cycle(45)]
    await deliverAll(shop, [
      event('invoice.paid', second, onDay(45)),
      event('invoice.paid', first, onDay(15)),
    ])
    expect((await payments(shop)).map(({ renewal }) => renewal)).toEqual([true, true])
    await deliverAll(shop, life(base, [1, { status: 'trialing' }], [15, {}]))
    expect((await payments(shop)).map(({ renewal }) => renewal)).toEqual([false, true])
    expect(await serviceEvents(shop)).toEqual([
      '2026-01-01 trial_started',
      '2026-01-15 payment',
      '2026-01-15 trial_converted',
      '2026-02-14 payment',
      '2026-02-14 subscription_renewed',
    ])
  })

  test('an invoice without a subscription is a payment that is not recurring', async () => {
    const shop = await openShop(api)
    await deliverAll(shop, [event('invoice.paid', invoice(), onDay(1))])
    expect(await payments(shop)).toMatchObject([{ recurring: false, renewal: false }])
    expect(await serviceEvents(shop)).toEqual(['2026-01-01 payment'])
  })

  test('an invoice of an old API version names subscription, charge and payment intent itself', async () => {
    const shop = await openShop(api)
    const { parent: _parent, ...rest } = invoice({ payment_intent: 'pi_o', charge: 'ch_o' })
    const old: Json = { ...rest, subscription: 'sub_o', billing_reason: 'subscription_cycle' }
    await deliverAll(shop, [event('invoice.payment_succeeded', old, onDay(1))])
    expect(await payments(shop)).toMatchObject([{ recurring: true, renewal: true }])
    const sale = { amount: 1000, currency: 'USD' }
    for (const transaction_id of ['pi_o', 'ch_o', old.id]) {
      const answer = await send(shop, { ...sale, transaction_id })
      expect(answer.status).toBe(200)
    }
    expect(await payments(shop)).toHaveLength(1)
  })
})

const send = (shop: Shop, body: Json) =>
  shop.api.call('POST', `/api/sites/${shop.siteId}/payments`, { token: shop.member.token, body })

describe('checkouts', () => {
  test('a checkout in payment mode is a payment under its payment intent', async () => {
    const shop = await openShop(api)
    const session = checkout()
    await deliverAll(shop, [event('checkout.session.completed', session, onDay(3))])
    expect(await payments(shop)).toMatchObject([
      {
        transactionId: session.payment_intent,
        amount: 2500,
        recurring: false,
        paidAt: new Date(onDay(3) * 1000),
      },
    ])
    expect(await serviceEvents(shop)).toEqual(['2026-01-03 payment'])
  })

  test('a checkout with an invoice is the payment of the invoice', async () => {
    const shop = await openShop(api)
    const bill = invoice({ amount_paid: 2500 })
    await deliverAll(shop, [
      event('checkout.session.completed', checkout({ invoice: bill.id }), onDay(1)),
      event('invoice.paid', bill, onDay(1)),
    ])
    expect(await payments(shop)).toMatchObject([{ transactionId: bill.id, amount: 2500 }])
  })

  test('a checkout that is paid later is a payment from then on', async () => {
    const shop = await openShop(api)
    const session = checkout({ payment_status: 'unpaid' })
    await deliverAll(shop, [event('checkout.session.completed', session, onDay(1))])
    expect(await payments(shop)).toEqual([])
    const paid = { ...session, payment_status: 'paid' }
    await deliverAll(shop, [event('checkout.session.async_payment_succeeded', paid, onDay(3))])
    expect(await payments(shop)).toMatchObject([{ amount: 2500, paidAt: new Date(onDay(3) * 1000) }])
  })

  test('a checkout of 0 is no payment', async () => {
    const shop = await openShop(api)
    const free = checkout({ amount_total: 0, payment_status: 'no_payment_required', payment_intent: null })
    await deliverAll(shop, [event('checkout.session.completed', free, onDay(1))])
    expect(await payments(shop)).toEqual([])
  })
})

describe('refunds', () => {
  const bought = charge({ amount: 2500, payment_intent: 'pi_r' })
  const session = checkout({ payment_intent: 'pi_r' })
  const part = refund({ amount: 400, charge: bought.id, payment_intent: 'pi_r', created: onDay(5) })
  const rest = refund({ amount: 2100, charge: bought.id, payment_intent: 'pi_r', created: onDay(6) })
  const events = {
    paid: event('checkout.session.completed', session, onDay(1)),
    partly: event('charge.refunded', { ...bought, amount_refunded: 400 }, onDay(5)),
    wholly: event('charge.refunded', { ...bought, amount_refunded: 2500, refunded: true }, onDay(6)),
    part: event('refund.created', part, onDay(5)),
    rest: event('refund.created', rest, onDay(6)),
    updated: event('refund.updated', { ...rest, status: 'succeeded' }, onDay(6, 9)),
    failed: event('refund.failed', { ...rest, status: 'failed' }, onDay(8)),
    failedOld: event('charge.refund.updated', { ...rest, status: 'failed' }, onDay(8)),
  }

  test.each<[string, (keyof typeof events)[], number]>([
    ['when the charge reports it', ['paid', 'partly'], 400],
    ['when the refund reports it', ['paid', 'part'], 400],
    ['once when both report it', ['paid', 'part', 'partly'], 400],
    ['when it is reported before the payment', ['partly', 'part', 'paid'], 400],
    ['in full', ['paid', 'part', 'partly', 'rest', 'wholly', 'updated'], 2500],
    ['in full, in the wrong order', ['wholly', 'rest', 'partly', 'updated', 'paid', 'part'], 2500],
    ['until it fails', ['paid', 'part', 'partly', 'rest', 'wholly', 'failed'], 400],
    ['until it fails, in the wrong order', ['failed', 'wholly', 'paid', 'rest', 'part'], 400],
    ['until it fails, in an old API version', ['paid', 'partly', 'wholly', 'failedOld'], 400],
  ])('a refund is subtracted %s', async (_how, names, refunded) => {
    const shop = await openShop(api)
    await deliverAll(
      shop,
      names.map(name => ({ ...events[name], id: `evt_${randomUUID()}` })),
    )
    expect(await payments(shop)).toMatchObject([{ amount: 2500, refunded }])
    const [row] = await api.services.db`
      select refunded_minor as refunded from revenue where site_no = ${shop.siteNo}`
    expect(row).toEqual({ refunded })
  })

  test('a refund belongs to the invoice that its payment intent paid', async () => {
    const shop = await openShop(api)
    const bill = invoice()
    await deliverAll(shop, [
      event('refund.created', refund({ amount: 250, charge: 'ch_i', payment_intent: 'pi_i' }), onDay(2)),
      event('invoice.paid', bill, onDay(1)),
    ])
    expect(await payments(shop)).toMatchObject([{ refunded: 0 }])
    await deliverAll(shop, [event('invoice_payment.paid', invoicePayment(bill.id, 'pi_i'), onDay(1))])
    expect(await payments(shop)).toMatchObject([{ refunded: 250 }])
  })

  test('a refund applies to a payment that the API sends afterwards', async () => {
    const shop = await openShop(api)
    await deliverAll(shop, [
      event(
        'charge.refunded',
        { ...bought, id: 'ch_late', payment_intent: 'pi_late', amount_refunded: 400 },
        onDay(5),
      ),
    ])
    await send(shop, { amount: 2500, currency: 'USD', transaction_id: 'pi_late' })
    expect(await payments(shop)).toMatchObject([{ source: 'api', refunded: 400 }])
  })
})

describe('a sale from API and processor', () => {
  const sides = () => {
    const bill = invoice()
    return {
      bill,
      paid: event('invoice.paid', bill, onDay(1)),
      linked: event('invoice_payment.paid', invoicePayment(bill.id, 'pi_both'), onDay(1)),
      charged: event('charge.succeeded', charge({ id: 'ch_both', payment_intent: 'pi_both' }), onDay(1)),
    }
  }

  test.each(['pi_both', 'ch_both'])(
    'API and processor: a sale is one payment when the API names %s, in either order',
    async id => {
      const orders = [
        ['api', 'paid', 'linked', 'charged'],
        ['paid', 'api', 'linked', 'charged'],
        ['charged', 'linked', 'paid', 'api'],
        ['charged', 'paid', 'api', 'linked'],
      ] as const
      for (const order of orders) {
        const shop = await openShop(api)
        const { bill: _bill, ...events } = sides()
        for (const name of order) {
          if (name === 'api') {
            const answer = await send(shop, { amount: 1000, currency: 'USD', transaction_id: id })
            expect([200, 201]).toContain(answer.status)
          } else await deliverAll(shop, [events[name]])
        }
        expect(await payments(shop), order.join()).toHaveLength(1)
        expect(await serviceEvents(shop)).toHaveLength(1)
      }
    },
  )

  test('a sale is two payments when the API uses another id', async () => {
    const shop = await openShop(api)
    await deliverAll(shop, [sides().paid])
    await send(shop, { amount: 1000, currency: 'USD', transaction_id: 'order-17' })
    expect(await payments(shop)).toHaveLength(2)
  })

  test('the API cannot delete it when the processor reported it first', async () => {
    const shop = await openShop(api)
    const { bill, paid } = sides()
    await deliverAll(shop, [paid])
    const answer = await api.call('DELETE', `/api/sites/${shop.siteId}/payments`, {
      token: shop.member.token,
      body: { transaction_id: bill.id },
    })
    expect(answer.status).toBe(404)
  })
})

describe('visitors', () => {
  async function visitors(shop: Shop) {
    const { db } = api.services
    const [paid, told] = await Promise.all([
      db`select visitor_id as "visitorId" from payments where site_no = ${shop.siteNo}`,
      db`select visitor_id as "visitorId" from lifecycle_events where site_no = ${shop.siteNo}`,
    ])
    return new Set([...paid, ...told].map(row => row.visitorId))
  }

  test.each<[string, (visitorId: string) => { checkout?: Json; subscription?: Json; invoice?: Json }]>([
    ['client_reference_id of the checkout', visitorId => ({ checkout: { client_reference_id: visitorId } })],
    ['metadata of the checkout', visitorId => ({ checkout: { metadata: { visitor_id: visitorId } } })],
    [
      'metadata of the subscription',
      visitorId => ({ subscription: { metadata: { visitor_id: visitorId } } }),
    ],
    ['metadata of the invoice', visitorId => ({ invoice: { metadata: { visitor_id: visitorId } } })],
  ])(
    'a visitor named by the %s is remembered for the subscription and its payments',
    async (_where, name) => {
      for (const isLate of [false, true]) {
        const shop = await openShop(api)
        const visitorId = randomUUID()
        const named = name(visitorId)
        const base = subscription(named.subscription)
        const one = { subscription: base.id, customer: base.customer }
        const first = invoice({ ...one, ...named.invoice })
        const later = invoice({ ...one, paidAt: onDay(32), billing_reason: 'subscription_cycle' })
        const events = [
          event(
            'checkout.session.completed',
            checkout({
              mode: 'subscription',
              payment_intent: null,
              invoice: first.id,
              ...one,
              ...named.checkout,
            }),
            onDay(1),
          ),
          event('customer.subscription.created', base, onDay(1)),
          event('invoice.paid', first, onDay(1)),
          event('invoice.paid', later, onDay(32)),
        ]
        await deliverAll(shop, isLate ? events.reverse() : events)
        expect(await visitors(shop)).toEqual(new Set([visitorId]))
      }
    },
  )

  test('a visitor has the movements that were recorded before it was known', async () => {
    const shop = await openShop(api)
    const { db } = api.services
    const visitorId = randomUUID()
    const base = subscription()
    await deliverAll(shop, life(base, [3, {}]))
    await db`insert into visitors (visitor_no, site_no, id, first_seen_at, session_count, newest_session_at)
      values (nextval('visitor_numbers'), ${shop.siteNo}, ${visitorId}, ${new Date(onDay(2) * 1000)}, 1,
        ${new Date(onDay(2) * 1000)})`
    const session = checkout({
      mode: 'subscription',
      payment_intent: null,
      subscription: base.id,
      client_reference_id: visitorId,
    })
    await deliverAll(shop, [event('checkout.session.completed', session, onDay(3))])
    const [movement] = await db`
      select visitors.id from mrr_movements join visitors using (site_no, visitor_no) where mrr_movements.site_no = ${shop.siteNo}`
    expect(movement).toEqual({ id: visitorId })
  })

  test('a visitor name that is no id is ignored', async () => {
    const shop = await openShop(api)
    await deliverAll(shop, [
      event('checkout.session.completed', checkout({ client_reference_id: 'cart-17' }), onDay(1)),
    ])
    expect(await visitors(shop)).toEqual(new Set([null]))
  })
})

describe('events', () => {
  test('an event is applied once, however often and in parallel it arrives', async () => {
    const shop = await openShop(api)
    const base = subscription()
    const bill = invoice({ subscription: base.id, customer: base.customer })
    const events = [
      ...life(base, [1, {}], [2, { items: items(item(price(4000))) }]),
      event('invoice.paid', bill, onDay(1)),
    ]
    const answers = await Promise.all([...events, ...events, ...events].map(each => deliver(shop, each)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000, '2026-01-02 upgrade USD': 3000 })
    expect(await payments(shop)).toHaveLength(1)
  })

  test('a late event is inserted in order by movements of the kind that they correct', async () => {
    const shop = await openShop(api)
    const steps = life(
      subscription(),
      [1, {}],
      [2, { items: items(item(price(4000))) }],
      [3, { items: items(item(price(6000))) }],
    )
    await deliverAll(shop, [steps[2]!, steps[0]!])
    const before = await api.services.db`select id from mrr_movements where site_no = ${shop.siteNo}`
    await deliverAll(shop, [steps[1]!])
    expect(await netMovements(shop)).toEqual({
      '2026-01-01 start USD': 1000,
      '2026-01-02 upgrade USD': 3000,
      '2026-01-03 upgrade USD': 2000,
    })
    const rows = await api.services.db<{ id: string; kind: string; amount: number }[]>`
      select id, kind, amount_minor as amount from mrr_movements where site_no = ${shop.siteNo}`
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)))
    expect(
      rows
        .filter(({ kind }) => kind === 'start')
        .map(({ amount }) => amount)
        .sort(),
    ).toEqual([-6000, 1000, 6000])
  })

  test('an event of an unused type is answered 200, and nothing is stored', async () => {
    const shop = await openShop(api)
    const answer = await deliver(shop, event('payout.paid', { id: 'po_1', object: 'payout' }, onDay(1)))
    expect(answer).toMatchObject({ status: 200, body: { received: true } })
    await expectNoTrace(shop)
  })

  test.each<[string, StripeEvent]>([
    ['a subscription without a status', event('customer.subscription.updated', { id: 'sub_1' }, onDay(1))],
    ['an invoice without an amount', event('invoice.paid', { id: 'in_1', currency: 'usd' }, onDay(1))],
    ['an amount that is no number', event('refund.created', { ...refund(), amount: 'all' }, onDay(1))],
    ['an object that is none', { ...event('invoice.paid', {}, onDay(1)), data: { object: 7 as never } }],
    ['a time that is none', event('invoice.paid', invoice(), Number.NaN)],
    ['an id that is too long', event('invoice.paid', invoice({ id: `in_${'x'.repeat(300)}` }), onDay(1))],
    [
      'a price beyond numbers',
      event(
        'customer.subscription.created',
        subscription({ items: [item(price(9e14), { quantity: 9 })] }),
        onDay(1),
      ),
    ],
  ])('a signed event that contains %s is answered 422, and nothing is stored', async (_what, broken) => {
    const shop = await openShop(api)
    expect(await deliver(shop, broken)).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    await expectNoTrace(shop)
  })

  test('a signed body that is no JSON is answered 400', async () => {
    const shop = await openShop(api)
    expect(await deliver(shop, '{"id":')).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  test('an event with NUL characters and lone surrogates is accepted', async () => {
    const shop = await openShop(api)
    const bill = JSON.stringify(event('invoice.paid', invoice({ customer_name: 'A\0nn' }), onDay(1)))
    expect((await deliver(shop, bill.replace('ann@', '\\ud800@'))).status).toBe(200)
    expect(await payments(shop)).toHaveLength(1)
  })

  test('an event that failed in the database is applied when it is sent again', async () => {
    const shop = await openShop(api)
    const { db } = api.services
    const [created] = life(subscription(), [1, {}])
    await db`alter table lifecycle_events add constraint broken check (name <> 'subscription_started')
      not valid`
    expect((await deliver(shop, created!)).status).toBeGreaterThanOrEqual(500)
    await expectNoTrace(shop)
    await db`alter table lifecycle_events drop constraint broken`
    await deliverAll(shop, [created!])
    expect(await netMovements(shop)).toEqual({ '2026-01-01 start USD': 1000 })
  })
})

async function expectNoTrace({ siteNo }: Shop): Promise<void> {
  const { db } = api.services
  const tables = await db<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'site_no'
      and table_name not in ('sites', 'processor_connections', 'goals', 'goal_rollup_queue')`
  expect(tables.length).toBeGreaterThan(10)
  for (const { name } of tables) {
    expect(await db`select from ${db(name)} where site_no = ${siteNo} limit 1`, name).toHaveLength(0)
  }
}

describe('calls of others', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const paid = event('invoice.paid', invoice(), onDay(1))
  const good = () => paid

  test.each<[string, (shop: Shop) => Promise<{ status: number; body: Json }>]>([
    ['no header', shop => deliver(shop, good(), { header: null })],
    ['an empty header', shop => deliver(shop, good(), { header: '' })],
    ['a header that is none', shop => deliver(shop, good(), { header: 't=now,v1=yes' })],
    ['another secret', shop => deliver(shop, good(), { secret: 'whsec_another' })],
    [
      'a body that was written again',
      shop => deliver(shop, JSON.stringify(good()), { header: sign(JSON.stringify(good(), null, 2)) }),
    ],
    ['a signature of 301 s ago', shop => deliver(shop, good(), { signedAt: now() - 301 })],
    ['a signature of 302 s ahead', shop => deliver(shop, good(), { signedAt: now() + 302 })],
    [
      'an old scheme',
      shop => deliver(shop, good(), { header: sign(JSON.stringify(good(), null, 2)).replace('v1', 'v0') }),
    ],
    ['an empty body', shop => deliver(shop, '', { header: sign('{}') })],
  ])('a call with %s is answered 400, and nothing is stored', async (_how, call) => {
    const shop = await openShop(api)
    expect(await call(shop)).toMatchObject({ status: 400, body: { code: 'bad_signature' } })
    await expectNoTrace(shop)
  })

  test.each([-298, 298])('a call whose signature is %i s off is accepted', async seconds => {
    const shop = await openShop(api)
    expect((await deliver(shop, good(), { signedAt: now() + seconds })).status).toBe(200)
  })

  test('a site without a processor, an unknown site and no id are answered 404', async () => {
    const member = await api.member()
    const made = await api.call('POST', '/api/sites', {
      token: member.token,
      body: { domain: `${randomUUID()}.example` },
    })
    for (const siteId of [made.body.id, randomUUID(), 'example.com', `${made.body.id}0`, '%00']) {
      const answer = await deliver({ api, siteId }, good())
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })

  test('a deleted and a disconnected site are answered 404', async () => {
    const [deleted, disconnected] = [await openShop(api), await openShop(api)]
    await api.call('DELETE', `/api/sites/${deleted.siteId}`, { token: deleted.member.token })
    await api.call('DELETE', `/api/sites/${disconnected.siteId}/processor`, {
      token: disconnected.member.token,
    })
    expect((await deliver(deleted, good())).status).toBe(404)
    expect((await deliver(disconnected, good())).status).toBe(404)
  })

  test('a body over 1 MiB is answered 413; 1 MiB is accepted', async () => {
    const shop = await openShop(api)
    const text = JSON.stringify(event('payout.paid', { id: 'po_1' }, onDay(1)))
    const most = text.padEnd(1024 * 1024)
    expect((await deliver(shop, most)).status).toBe(200)
    expect(await deliver(shop, `${most} `)).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    })
    await expectNoTrace(shop)
  })

  test('another method is answered 405', async () => {
    const shop = await openShop(api)
    const answer = await api.call('GET', `/api/processor/webhook/${shop.siteId}`)
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('webhook limits', () => {
  const LIMIT = 3
  const anything = event('payout.paid', {}, onDay(1))
  let before: number

  beforeEach(() => {
    const { limits } = api.services.config
    before = limits.webhook
    limits.webhook = LIMIT
    frozenAt = Date.now()
  })
  afterEach(() => {
    api.services.config.limits.webhook = before
    frozenAt = undefined
  })

  const left = ({ headers }: { headers: Headers }) => headers.get('x-ratelimit-remaining')

  test('signed calls are counted by site', async () => {
    const [shop, other] = [await openShop(api), await openShop(api)]
    const answers = []
    for (let count = 0; count <= LIMIT; count++) answers.push(await deliver(shop, anything))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers.map(left)).toEqual(['2', '1', '0', '0'])
    expect(answers[0]!.headers.get('x-ratelimit-limit')).toBe('3')
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(left(await deliver(other, anything))).toBe('2')
  })

  test('calls without a valid signature are charged to their sender, never to the site', async () => {
    const shop = await openShop(api)
    const from = { address: '203.0.113.1' }
    const bad = []
    for (let count = 0; count < LIMIT + 2; count++)
      bad.push(await deliver(shop, anything, { header: null, ...from }))
    expect(bad.map(({ status }) => status)).toEqual([400, 400, 400, 429, 429])
    expect(bad.map(left)).toEqual(['2', '1', '0', '0', '0'])
    expect(bad[4]!.body.code).toBe('rate_limited')
    expect(Number(bad[4]!.headers.get('retry-after'))).toBeGreaterThan(0)
    const good = await deliver(shop, anything, { address: '203.0.113.2' })
    expect([good.status, left(good)]).toEqual([200, '2'])
  })

  test('calls for unknown sites and bodies that are too large are charged to their sender', async () => {
    const shop = await openShop(api)
    const from = { address: '203.0.113.3' }
    const answers = [
      await deliver({ api, siteId: randomUUID() }, anything, from),
      await deliver({ api, siteId: 'none' }, anything, from),
      await deliver(shop, 'x'.repeat(1024 * 1024 + 1), from),
      await deliver(shop, anything, from),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 413, 429])
    expect(answers.map(left)).toEqual(['2', '1', '0', '0'])
  })

  test('a sender over its limit is refused before its body is read', async () => {
    const shop = await openShop(api)
    const address = '203.0.113.4'
    for (let count = 0; count < LIMIT; count++) await deliver(shop, anything, { header: null, address })
    const wire = openWire(api.url)
    wire.send(
      `POST /api/processor/webhook/${shop.siteId} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
        'Content-Length: 1000\r\n\r\n',
    )
    expect(await wire.answer()).toMatchObject({ status: 429, headers: { 'x-ratelimit-remaining': '0' } })
    wire.socket.destroy()
  })

  test('many signed calls of one address for many sites are all accepted', async () => {
    const shops = await Promise.all(Array.from({ length: LIMIT + 2 }, () => openShop(api)))
    for (const shop of shops) {
      expect((await deliver(shop, anything, { address: '203.0.113.5' })).status).toBe(200)
    }
  })
})
