// @module-tag full
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs, seeded } from '../../support/runs.ts'
import { outcomeOf } from '../../support/shop-outcome.ts'
import {
  apiOfFile,
  charge,
  checkout,
  coupon,
  deliver,
  discount,
  event,
  invoice,
  invoicePayment,
  item,
  onDay,
  openShop,
  price,
  refund,
  type Shop,
  type StripeEvent,
  subscription,
} from '../../support/stripe.ts'

const api = apiOfFile()

const PRICES = [price(1000), price(2999), price(12_001, { recurring: { interval: 'year' } })]
const COUPONS = [
  coupon({ percent_off: 33 }),
  coupon({ amount_off: 250, currency: 'usd' }),
  coupon({ percent_off: 50, duration: 'once' }),
]
const ACTIVE = ['active', 'active', 'active']
const STATUSES = ['incomplete', 'trialing', ...ACTIVE, 'past_due', 'unpaid', 'paused', 'canceled']
const VISITORS = ['0a8cbd2e-6a0b-4d0e-8c2b-2f1f5f8b7a01', '0a8cbd2e-6a0b-4d0e-8c2b-2f1f5f8b7a02']

/** One change of a customer: up to days after the previous one, or in the same second. */
const Steps = fc.record({
  gap: fc.constantFrom(0, 1, 40_000, 86_400, 200_000),
  what: fc.constantFrom('state', 'state', 'state', 'discount', 'invoice', 'refund', 'checkout'),
  which: fc.nat(1),
  status: fc.constantFrom(...STATUSES),
  price: fc.nat(PRICES.length - 1),
  quantity: fc.nat(3),
  isEnding: fc.boolean(),
  coupon: fc.option(fc.nat(COUPONS.length - 1)),
  visitor: fc.option(fc.nat(VISITORS.length - 1)),
})

type Step = ReturnType<typeof Steps.generate>['value']

let lives = 0

/** Returns the events of a customer with two subscriptions, in the order in which they happened. */
function tellAll(steps: Step[]): StripeEvent[] {
  const name = `L${++lives}`
  const customer = `cus_${name}`
  const events: StripeEvent[] = []
  const invoices: string[] = []
  let at = onDay(1)
  const say = (type: string, object: Record<string, unknown>) => {
    const id = `evt_${name}_${events.length}`
    events.push(event(type, object, at, id))
  }
  for (const [index, step] of steps.entries()) {
    at += step.gap
    const id = `sub_${name}_${step.which}`
    const metadata = step.visitor === null ? {} : { visitor_id: VISITORS[step.visitor] }
    const given = step.coupon === null ? [] : [`di_${name}_${step.coupon}`]
    if (step.what === 'state') {
      say('customer.subscription.updated', {
        ...subscription({ id, customer, metadata, discounts: given, status: step.status }),
        cancel_at_period_end: step.isEnding,
        items: { data: [item(PRICES[step.price]!, { id: `si_${name}`, quantity: step.quantity })] },
      })
    } else if (step.what === 'discount') {
      const which = step.coupon ?? 0
      const of = step.isEnding ? { customer } : { customer, subscription: id }
      const change = ['created', 'updated', 'deleted'][step.quantity % 3]
      say(`customer.discount.${change}`, discount(COUPONS[which]!, { ...of, id: `di_${name}_${which}` }))
    } else if (step.what === 'invoice') {
      const bill = `in_${name}_${index}`
      invoices.push(bill)
      const billing_reason = step.isEnding ? 'subscription_cycle' : 'subscription_create'
      const of = { customer, metadata, subscription: id, billing_reason, amount_paid: 1000 * step.quantity }
      const paid = invoice({ id: bill, paidAt: at, ...of })
      say('invoice.paid', paid)
      say('invoice.payment_succeeded', paid)
      say('invoice_payment.paid', invoicePayment(bill, `pi_${bill}`))
      say('charge.succeeded', charge({ id: `ch_${bill}`, payment_intent: `pi_${bill}`, customer }))
    } else if (step.what === 'refund') {
      const bill = invoices[step.quantity % Math.max(1, invoices.length)] ?? 'in_none'
      const ids = { id: `re_${name}_${index}`, charge: `ch_${bill}`, payment_intent: `pi_${bill}` }
      const given = refund({ ...ids, created: at, amount: 300 })
      say('refund.created', given)
      if (step.isEnding) say('refund.failed', { ...given, status: 'failed' })
    } else {
      const ids = { id: `cs_${name}_${index}`, payment_intent: `pi_${name}_${index}` }
      say('checkout.session.completed', checkout({ ...ids, customer, metadata }))
    }
  }
  return events
}

/** Returns everything that must not depend on the order of delivery. */
async function outcome(shop: Shop) {
  const keys = await api.services.db`
    select subscription_id, name, key from lifecycle_events where site_no = ${shop.siteNo} order by 1, 2, 3`
  return { ...(await outcomeOf(shop)), keys }
}

async function deliverTogether(shop: Shop, events: StripeEvent[]): Promise<void> {
  for (let first = 0; first < events.length; first += 5) {
    const answers = await Promise.all(events.slice(first, first + 5).map(each => deliver(shop, each)))
    for (const { status, body } of answers) if (status !== 200) throw new Error(JSON.stringify(body))
  }
}

const RUNS = runs(15)

test('subscriptions: any order of events, with repeats, gives the same movements, payments and lifecycle events', {
  timeout: 600_000,
}, async () => {
  const Lives = fc.array(Steps, { minLength: 3, maxLength: 14 })
  const Shuffle = fc.infiniteStream(fc.nat(1_000_000))
  await fc.assert(
    fc.asyncProperty(Lives, Shuffle, async (steps, numbers) => {
      const events = tellAll(steps)
      const repeated = [...events, ...events.filter((_each, index) => index % 3 === 0)]
      const ranks = new Map(repeated.map((_each, index) => [index, numbers.next().value as number]))
      const shuffled = repeated
        .map((each, index) => ({ each, rank: ranks.get(index)! }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ each }) => each)
      const [inOrder, mixed] = [await openShop(api), await openShop(api)]
      for (const each of events) await deliverTogether(inOrder, [each])
      await deliverTogether(mixed, shuffled)
      expect(await outcome(mixed)).toEqual(await outcome(inOrder))
    }),
    { seed: seeded(20_260_101), numRuns: RUNS, endOnFailure: true },
  )
})
