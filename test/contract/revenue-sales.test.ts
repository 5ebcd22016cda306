// @module-tag full
import { randomUUID } from 'node:crypto'
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
} from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const paid = (bill: Json, type = 'invoice.paid') => event(type, bill, bill.created)
const bill = (options: Json = {}) => invoice({ paidAt: onDay(5), ...options })
const charged = (type: string, options: Json, day: number) => event(type, charge(options), onDay(day))

describe('invoices', () => {
  const cycle = (reason?: string) => ({ subscription: 'sub_1', ...(reason && { billing_reason: reason }) })

  test.each<[string, Json, string[], boolean]>([
    ['the first cycle', cycle(), ['payment'], false],
    ['a later cycle', cycle('subscription_cycle'), ['payment', 'subscription_renewed'], true],
    ['a change within a cycle', cycle('subscription_update'), ['payment'], false],
    ['a one-off', {}, ['payment'], false],
  ])(
    'an invoice of %s is recorded once, in the new shape and the old',
    async (_what, options, names, renewal) => {
      const recurring = 'subscription' in options
      for (const isOld of [false, true]) {
        const site = await revenue.shop()
        const now = bill({ ...options, amount_paid: 1234, total: 1234 })
        const { parent, ...rest } = now
        const old = { subscription: options.subscription ?? null, charge: 'ch_1', payment_intent: 'pi_1' }
        const shaped = { ...rest, ...(isOld ? old : { parent }) }
        await revenue.deliverAll(site, [
          paid(shaped),
          paid(shaped, 'invoice.payment_succeeded'),
          paid(shaped),
        ])
        if (isOld) {
          for (const transaction_id of ['pi_1', 'ch_1', now.id])
            expect((await revenue.pay(site, { transaction_id })).status).toBe(200)
        }
        expect(await revenue.payments(site)).toMatchObject([
          {
            ...{ recurring, renewal, amount: 1234, currency: 'USD', transaction_id: now.id },
            ...{ source: 'processor', email: 'ann@example.com', customer_id: now.customer },
          },
        ])
        expect(await revenue.log(site)).toEqual(names.map(name => `2026-01-05 ${name}`))
        expect(await revenue.overview(site)).toMatchObject({
          ...{ revenue: 1234, recurring_revenue: recurring ? 1234 : 0, payments: 1 },
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
  const complete = (options: Json, day = 4, type = 'completed') =>
    event(`checkout.session.${type}`, checkout(options), onDay(day))

  test('a checkout in payment mode is a payment once it is paid; a free one and other modes are none', async () => {
    const site = await revenue.shop()
    const session = { payment_intent: 'pi_shop' }
    await revenue.deliverAll(site, [
      complete({ ...session, payment_status: 'unpaid' }),
      complete({ mode: 'subscription', payment_intent: null }),
      complete({ mode: 'setup', payment_intent: null, amount_total: null }),
      complete({ amount_total: 0, payment_status: 'no_payment_required', payment_intent: null }),
    ])
    expect(await revenue.payments(site)).toEqual([])
    await revenue.deliverAll(site, [complete(session, 5, 'async_payment_succeeded')])
    expect(await revenue.payments(site)).toMatchObject([
      { transaction_id: 'pi_shop', amount: 2500, recurring: false, source: 'processor' },
    ])
    expect(await revenue.log(site)).toEqual(['2026-01-05 payment'])
    const deleted = await revenue.call('DELETE', `${site.path}/payments`, { transaction_id: 'pi_shop' })
    expect(deleted.status).toBe(404)
    expect(await revenue.payments(site)).toHaveLength(1)
  })

  test('a checkout with an invoice is the payment of the invoice', async () => {
    const site = await revenue.shop()
    const one = bill({ amount_paid: 2500 })
    await revenue.deliverAll(site, [complete({ invoice: one.id }), paid(one)])
    expect(await revenue.payments(site)).toMatchObject([{ transaction_id: one.id, amount: 2500 }])
  })
})

describe('refunds', () => {
  const whole = { id: 'ch_r', payment_intent: 'pi_r', amount: 2500 }
  const back = (type: string, id: string, amount: number, day: number, status = 'succeeded') =>
    event(
      type,
      refund({ id, amount, status, charge: 'ch_r', payment_intent: 'pi_r', created: onDay(6) }),
      onDay(day),
    )
  const events = {
    sold: event('checkout.session.completed', checkout({ payment_intent: 'pi_r' }), onDay(5)),
    part: back('refund.created', 're_1', 400, 6),
    rest: back('refund.created', 're_2', 2100, 7),
    updated: back('refund.updated', 're_2', 2100, 8),
    failed: back('refund.failed', 're_2', 2100, 9, 'failed'),
    failedOld: back('charge.refund.updated', 're_2', 2100, 9, 'failed'),
    chargePart: charged('charge.refunded', { ...whole, amount_refunded: 400 }, 6),
    chargeWhole: charged('charge.refunded', { ...whole, amount_refunded: 2500, refunded: true }, 7),
  }

  test.each<[string, (keyof typeof events)[], number]>([
    ['partial, by the charge', ['sold', 'chargePart'], 2100],
    ['partial, by the refund', ['sold', 'part'], 2100],
    ['partial, by both', ['sold', 'part', 'chargePart'], 2100],
    ['partial, before the payment', ['chargePart', 'sold'], 2100],
    ['partial, by the refund before the payment', ['part', 'sold'], 2100],
    ['whole, in two parts', ['sold', 'part', 'rest'], 0],
    ['whole, by everything', ['sold', 'part', 'chargePart', 'rest', 'chargeWhole', 'updated'], 0],
    ['whole, all in reverse', ['chargeWhole', 'rest', 'chargePart', 'part', 'sold'], 0],
    ['whole, until a part fails', ['sold', 'part', 'chargePart', 'rest', 'chargeWhole', 'failed'], 2100],
    ['whole, until a part fails, in any order', ['failed', 'chargeWhole', 'sold', 'rest', 'part'], 2100],
    [
      'whole, until a part fails, by an old version',
      ['sold', 'chargePart', 'chargeWhole', 'failedOld'],
      2100,
    ],
  ])('a refund that is %s leaves the rest', async (_how, names, left) => {
    const site = await revenue.shop()
    await revenue.deliverAll(
      site,
      names.map(name => ({ ...events[name], id: `evt_${randomUUID()}` })),
    )
    const payments = left === 0 ? 0 : 1
    expect(await revenue.overview(site)).toMatchObject({ revenue: left, payments, new_customers: 1 })
    // The refund is subtracted on the day of the payment.
    expect(await revenue.overview(site, 'from=2026-01-05&to=2026-01-05')).toMatchObject({ revenue: left })
    expect(await revenue.payments(site)).toMatchObject([{ amount: 2500, refunded: left === 0 }])
  })

  test('a refund of an invoice is found by what paid it, and subtracted from recurring revenue', async () => {
    const site = await revenue.shop()
    const one = bill({ subscription: 'sub_1' })
    await revenue.deliverAll(site, [
      charged('charge.refunded', { payment_intent: 'pi_i', amount_refunded: 250 }, 6),
      paid(one),
      event('invoice_payment.paid', invoicePayment(one.id, 'pi_i'), onDay(5)),
    ])
    expect(await revenue.overview(site)).toMatchObject({ revenue: 750, recurring_revenue: 750, payments: 1 })
  })
})
