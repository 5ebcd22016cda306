import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs, seeded } from '../../support/runs.ts'
import {
  apiOfFile,
  charge,
  checkout,
  deliver,
  event,
  invoice,
  invoicePayment,
  onDay,
  openShop,
  refund,
  type Shop,
  type StripeEvent,
} from '../../support/stripe.ts'

const api = apiOfFile()

/** An event about one of three invoices and two payment intents; each intent may pay any invoice. */
const Step = fc.record({
  what: fc.constantFrom('invoice', 'link', 'link', 'charge', 'refund', 'failed refund', 'checkout', 'intent'),
  bill: fc.nat(2),
  intent: fc.nat(1),
  amount: fc.integer({ min: 0, max: 1500 }),
  day: fc.integer({ min: 4, max: 9 }),
})
type Step = ReturnType<typeof Step.generate>['value']

function tell(step: Step, index: number): StripeEvent[] {
  const { amount } = step
  const at = onDay(step.day, index)
  const say = (type: string, object: object, later = 0) =>
    event(type, object, at + later, `evt_${index}_${later}`)
  const [bill, intent, ofIntent] = [`in_${step.bill}`, `pi_${step.intent}`, `ch_${step.intent}`]
  const paidAt = onDay(3 - step.bill)
  const given = { id: `re_${index}`, charge: ofIntent, payment_intent: intent, amount, created: at }
  const failed = { ...refund(given), status: 'failed' }
  const invoiced = { id: bill, amount_paid: 1000 + step.bill, customer: 'cus_1', paidAt }
  const bought = { id: `cs_${step.intent}`, payment_intent: intent, customer: 'cus_1', amount_total: 700 }
  const charged = { id: ofIntent, payment_intent: intent, amount_refunded: amount }
  const ofCharge = { id: intent, object: 'payment_intent', latest_charge: ofIntent }
  const events: Record<Step['what'], () => StripeEvent[]> = {
    invoice: () => [say('invoice.paid', invoice(invoiced))],
    link: () => [say('invoice_payment.paid', invoicePayment(bill, intent))],
    charge: () => [say('charge.refunded', charge(charged))],
    refund: () => [say('refund.created', refund({ ...given, charge: step.bill === 0 ? null : ofIntent }))],
    'failed refund': () => [say('refund.created', refund(given)), say('refund.failed', failed, 9)],
    checkout: () => [say('checkout.session.completed', checkout(bought))],
    intent: () => [say('payment_intent.succeeded', ofCharge)],
  }
  return events[step.what]()
}

/** A request to the payments API before the event at position `place`. */
const Sent = fc.record({
  id: fc.constantFrom('in_0', 'in_1', 'in_2', 'pi_0', 'pi_1', 'ch_0', 'ch_1', 'cs_0'),
  place: fc.nat(12),
  method: fc.constantFrom('POST', 'POST', 'DELETE'),
})

async function send(shop: Shop, method: string, transaction_id: string): Promise<number> {
  const fields = { amount: 500, currency: 'USD', timestamp: '2026-01-05T00:00:00Z' }
  const body = method === 'POST' ? { transaction_id, ...fields } : { transaction_id }
  const { token } = shop.member
  return (await api.call(method, `/api/sites/${shop.siteId}/payments`, { token, body })).status
}

/** Returns how many payments have one of the ids. */
async function knownBy({ siteNo }: Shop, ids: string[]): Promise<number> {
  const rows = await api.services.db`
    select id from payments where site_no = ${siteNo} and transaction_id = any(${ids})
    union
    select payment_id from payment_aliases where site_no = ${siteNo} and transaction_id = any(${ids})`
  return rows.length
}

async function outcome({ siteNo }: Shop) {
  const { db } = api.services
  return {
    payments: await db`
      select transaction_id, source, amount_minor, refunded_minor, paid_at, customer
      from payments where site_no = ${siteNo} order by 1`,
    ledger: await db`
      select at, amount_minor, refunded_minor from revenue where site_no = ${siteNo} order by 1, 2, 3`,
    firsts: await db`
      select customer, count(*)::int from payments join revenue on payment_id = id
      where payments.site_no = ${siteNo} and is_first_of_customer group by 1 order by 1`,
    events: await db`
      select at, name, props from events where site_no = ${siteNo} order by at, name, props::text`,
  }
}

const RUNS = runs(10)

test('sales: any order of events gives the same payments, also with API payments in between', {
  timeout: 600_000,
}, async () => {
  const Steps = fc.array(Step, { minLength: 3, maxLength: 12 })
  const Ranks = fc.infiniteStream(fc.nat(1_000_000))
  await fc.assert(
    fc.asyncProperty(Steps, fc.array(Sent, { maxLength: 4 }), Ranks, async (steps, sent, ranks) => {
      const events = steps.flatMap(tell)
      const shuffled = [...events, ...events.slice(0, 3)]
        .map(each => ({ each, rank: ranks.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ each }) => each)
      const [inOrder, mixed] = [await openShop(api), await openShop(api)]
      for (const each of events) expect((await deliver(inOrder, each)).status).toBe(200)
      for (const [index, each] of shuffled.entries()) {
        for (const { id, method } of sent.filter(({ place }) => place === index))
          expect([200, 201, 404]).toContain(await send(mixed, method, id))
        expect((await deliver(mixed, each)).status).toBe(200)
      }
      const wanted = await outcome(inOrder)
      const ids = wanted.payments.map(payment => payment.transaction_id)
      expect(await knownBy(mixed, ids)).toBeGreaterThanOrEqual(ids.length)
      const rest = await api.services.db<{ id: string }[]>`
        select transaction_id as id from payments where site_no = ${mixed.siteNo} and source = 'api'`
      for (const { id } of rest) expect(await send(mixed, 'DELETE', id)).toBe(200)
      expect(await outcome(mixed)).toEqual(wanted)
    }),
    { seed: seeded(20_260_101), numRuns: RUNS, endOnFailure: true },
  )
})
