import { describe, expect, test } from 'vitest'
import {
  charge,
  checkout,
  event,
  invoice,
  invoicePayment,
  type Json,
  onDay,
  refund,
  type StripeEvent,
} from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const paid = (bill: Json, type = 'invoice.paid') => event(type, bill, bill.created)
const bill = (options: Json = {}) => invoice({ paidAt: onDay(5), ...options })

describe('invoices', () => {
  test.each<[string, Json, string[], { recurring: boolean; renewal: boolean }]>([
    ['the first', { subscription: 'sub_1' }, ['payment'], { recurring: true, renewal: false }],
    [
      'a later cycle',
      { subscription: 'sub_1', billing_reason: 'subscription_cycle' },
      ['payment', 'subscription_renewed'],
      { recurring: true, renewal: true },
    ],
    [
      'a change within a cycle',
      { subscription: 'sub_1', billing_reason: 'subscription_update' },
      ['payment'],
      { recurring: true, renewal: false },
    ],
    ['a one-off', {}, ['payment'], { recurring: false, renewal: false }],
  ])(
    'an invoice of %s is recorded once, in the new shape and the old',
    async (_what, options, names, flags) => {
      for (const isOld of [false, true]) {
        const site = await revenue.shop()
        const now = bill({ ...options, amount_paid: 1234, total: 1234 })
        const { parent, ...rest } = now
        const shaped = isOld
          ? {
              ...rest,
              ...{ subscription: options.subscription ?? null, charge: 'ch_1', payment_intent: 'pi_1' },
            }
          : { ...rest, parent }
        await revenue.deliverAll(site, [
          paid(shaped),
          paid(shaped, 'invoice.payment_succeeded'),
          paid(shaped),
        ])
        expect(await revenue.payments(site)).toMatchObject([
          {
            ...flags,
            amount: 1234,
            currency: 'USD',
            transaction_id: now.id,
            source: 'processor',
            email: 'ann@example.com',
          },
        ])
        expect(await revenue.log(site)).toEqual(names.map(name => `2026-01-05 ${name}`))
        expect(await revenue.overview(site)).toMatchObject({
          ...{ revenue: 1234, recurring_revenue: flags.recurring ? 1234 : 0, payments: 1 },
        })
      }
    },
  )

  test('an invoice of 0, as for a trial, is no payment', async () => {
    const site = await revenue.shop()
    await revenue.deliverAll(site, [
      paid(bill({ subscription: 'sub_1', amount_paid: 0, amount_due: 0, total: 0 })),
    ])
    expect(await revenue.payments(site)).toEqual([])
    expect(await revenue.log(site)).toEqual([])
  })
})

describe('checkouts', () => {
  test('a checkout in payment mode is a payment under its payment intent; other modes are no payment', async () => {
    const site = await revenue.shop()
    const session = checkout({ payment_intent: 'pi_shop', created: onDay(5) })
    await revenue.deliverAll(site, [
      event('checkout.session.completed', session, onDay(5)),
      event('checkout.session.completed', checkout({ mode: 'subscription', payment_intent: null }), onDay(5)),
      event(
        'checkout.session.completed',
        checkout({ mode: 'setup', payment_intent: null, amount_total: null }),
        onDay(5),
      ),
    ])
    expect(await revenue.payments(site)).toMatchObject([
      { transaction_id: 'pi_shop', amount: 2500, recurring: false, source: 'processor' },
    ])
    expect(await revenue.log(site)).toEqual(['2026-01-05 payment'])
    const deleted = await revenue.call('DELETE', `${site.path}/payments`, { transaction_id: 'pi_shop' })
    expect(deleted.status).toBe(404)
    expect(await revenue.payments(site)).toHaveLength(1)
  })
})

describe('refunds', () => {
  const sale = (): Record<string, StripeEvent> => {
    const whole = charge({ id: 'ch_r', payment_intent: 'pi_r', amount: 2500 })
    const back = (id: string, amount: number) =>
      refund({ id, amount, charge: 'ch_r', payment_intent: 'pi_r', created: onDay(6) })
    return {
      sold: event('checkout.session.completed', checkout({ payment_intent: 'pi_r' }), onDay(5)),
      part: event('refund.created', back('re_1', 400), onDay(6)),
      rest: event('refund.created', back('re_2', 2100), onDay(7)),
      chargePart: event('charge.refunded', { ...whole, amount_refunded: 400 }, onDay(6)),
      chargeWhole: event('charge.refunded', { ...whole, amount_refunded: 2500, refunded: true }, onDay(7)),
    }
  }

  test.each<[string, string[], number, number]>([
    ['partial, by the charge', ['sold', 'chargePart'], 2100, 1],
    ['partial, by the refund', ['sold', 'part'], 2100, 1],
    ['partial, by both', ['sold', 'part', 'chargePart'], 2100, 1],
    ['partial, before the payment', ['chargePart', 'sold'], 2100, 1],
    ['partial, by the refund before the payment', ['part', 'sold'], 2100, 1],
    ['whole, in two parts', ['sold', 'part', 'rest'], 0, 0],
    ['whole, by everything', ['sold', 'part', 'chargePart', 'rest', 'chargeWhole'], 0, 0],
    ['whole, all in reverse', ['chargeWhole', 'rest', 'chargePart', 'part', 'sold'], 0, 0],
  ])('a refund that is %s leaves the rest', async (_how, names, left, count) => {
    const site = await revenue.shop()
    const events = sale()
    await revenue.deliverAll(
      site,
      names.map(name => events[name]!),
    )
    expect(await revenue.overview(site)).toMatchObject({ revenue: left, payments: count, new_customers: 1 })
    // The refund is subtracted on the day of the payment.
    expect(await revenue.overview(site, 'from=2026-01-05&to=2026-01-05')).toMatchObject({ revenue: left })
    expect(await revenue.payments(site)).toMatchObject([{ amount: 2500, refunded: left === 0 }])
  })

  test('a refund of an invoice is found by what paid it, and subtracted from recurring revenue', async () => {
    const site = await revenue.shop()
    const one = bill({ subscription: 'sub_1' })
    await revenue.deliverAll(site, [
      event('charge.refunded', charge({ payment_intent: 'pi_i', amount_refunded: 250 }), onDay(6)),
      paid(one),
      event('invoice_payment.paid', invoicePayment(one.id, 'pi_i'), onDay(5)),
    ])
    expect(await revenue.overview(site)).toMatchObject({ revenue: 750, recurring_revenue: 750, payments: 1 })
  })
})

describe('a sale through API and webhook', () => {
  const one = () => bill({ id: 'in_both' })
  const webhook = () => [
    paid(one()),
    event('invoice_payment.paid', invoicePayment('in_both', 'pi_both'), onDay(5)),
    event('charge.succeeded', charge({ id: 'ch_both', payment_intent: 'pi_both' }), onDay(5)),
  ]
  const at = { timestamp: new Date(onDay(5) * 1000).toISOString() }

  test.each(['in_both', 'pi_both', 'ch_both'])(
    'a sale is one payment when the API names %s',
    async transaction_id => {
      for (const isApiFirst of [true, false]) {
        const site = await revenue.shop()
        if (!isApiFirst) await revenue.deliverAll(site, webhook())
        expect((await revenue.pay(site, { transaction_id, ...at })).status).toBe(isApiFirst ? 201 : 200)
        if (isApiFirst) await revenue.deliverAll(site, webhook())
        expect(await revenue.payments(site)).toMatchObject([
          isApiFirst ? { source: 'api', transaction_id } : { source: 'processor', transaction_id: 'in_both' },
        ])
        expect(await revenue.overview(site)).toMatchObject({ revenue: 1000, payments: 1 })
        expect(await revenue.log(site)).toEqual(['2026-01-05 payment'])
        await revenue.deliverAll(site, [
          event(
            'charge.refunded',
            charge({ id: 'ch_both', payment_intent: 'pi_both', amount_refunded: 100 }),
            onDay(6),
          ),
        ])
        expect(await revenue.overview(site)).toMatchObject({ revenue: 900, payments: 1 })
      }
    },
  )

  test('a sale is two payments when the API uses another id', async () => {
    const site = await revenue.shop()
    await revenue.pay(site, { transaction_id: 'order-17', ...at })
    await revenue.deliverAll(site, webhook())
    expect(await revenue.payments(site)).toHaveLength(2)
    expect(await revenue.overview(site)).toMatchObject({ revenue: 2000, payments: 2 })
  })
})
