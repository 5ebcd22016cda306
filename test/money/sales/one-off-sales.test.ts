import { expect, test } from 'vitest'
import { outcomeOf } from '../../support/shop-outcome.ts'
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
} from '../../support/stripe.ts'

const api = apiOfFile()

const PI = 'pi_1'
const CH = 'ch_1'
const IN = 'in_1'
const VISITOR = '0a8cbd2e-6a0b-4d0e-8c2b-2f1f5f8b7a01'

const intent = (options: Json = {}): StripeEvent =>
  event(
    'payment_intent.succeeded',
    {
      ...{ id: PI, object: 'payment_intent', amount: 5000, amount_capturable: 0, amount_received: 5000 },
      ...{ capture_method: 'automatic', currency: 'usd', customer: null, latest_charge: CH, metadata: {} },
      ...{ receipt_email: 'ann@example.com', status: 'succeeded', payment_details: null },
      ...options,
    },
    onDay(5),
  )
const session = (options: Json = {}, type = 'completed') =>
  event(
    `checkout.session.${type}`,
    checkout({ id: 'cs_1', payment_intent: PI, amount_total: 5000, ...options }),
    onDay(5, 1),
  )
const bill = (options: Json = {}) =>
  event(
    'invoice.paid',
    invoice({ id: IN, amount_paid: 5000, customer: 'cus_1', paidAt: onDay(5), ...options }),
    onDay(5, 2),
  )
const link = () => event('invoice_payment.paid', invoicePayment(IN, PI), onDay(5, 3))
const charged = (type: string, options: Json, day = 6) =>
  event(
    `charge.${type}`,
    charge({ id: CH, payment_intent: PI, amount: 5000, amount_captured: 5000, ...options }),
    onDay(day),
  )
const dispute = (options: Json = {}, day = 9) =>
  event(
    'charge.dispute.closed',
    {
      ...{ id: 'du_1', object: 'dispute', amount: 5000, charge: CH, currency: 'usd', payment_intent: PI },
      ...{ status: 'lost', reason: 'fraudulent', created: onDay(6) },
      ...options,
    },
    onDay(day),
  )

/** The payments of a site in words: amount and refunds, what is known of the payer, and whether it is one of several. */
async function paymentsOf({ siteId, member }: Shop): Promise<string[]> {
  const { body } = await api.call('GET', `/api/sites/${siteId}/payments`, member)
  return body.data.map((paid: Json) => {
    const { transaction_id, amount, refunded_amount, refunded, currency, source } = paid
    const payer = [paid.customer_id, paid.visitor_id?.replace(VISITOR, 'visitor'), paid.email, paid.name]
    const kinds = ['recurring', 'renewal'].filter(kind => paid[kind])
    expect([source, refunded]).toEqual(['processor', refunded_amount === amount])
    return [
      transaction_id,
      `${amount}-${refunded_amount}`,
      currency,
      ...payer.filter(Boolean),
      ...kinds,
    ].join(' ')
  })
}

/** Delivers the events in both orders, each once and again. Returns the payments, which are the same. */
async function delivered(events: StripeEvent[]): Promise<string[]> {
  const shops = [await openShop(api), await openShop(api)]
  await deliverAll(shops[0]!, [...events, ...events])
  await deliverAll(shops[1]!, events.toReversed())
  const [outcome, reversed] = [await outcomeOf(shops[0]!), await outcomeOf(shops[1]!)]
  expect(reversed).toEqual(outcome)
  return paymentsOf(shops[0]!)
}

const ALONE = 'pi_1 5000-0 USD ann@example.com'
const BILLED = 'in_1 5000-0 USD cus_1 ann@example.com Ann'

const whole = { id: CH, billing_details: { email: 'bob@example.com', name: 'Bob' } }
const ofAnn = {
  customer: 'cus_1',
  metadata: { visitor_id: VISITOR },
  receipt_email: null,
  latest_charge: whole,
}
const ofOrder = (order_reference: string) => ({
  payment_details: { customer_reference: null, order_reference },
})
const unpaid = { payment_status: 'unpaid' }
const hold = { captured: false, amount_captured: 0 }
const part = { captured: true, amount_captured: 3000, amount_refunded: 2000 }
const free = { amount_total: 0, payment_status: 'no_payment_required', payment_intent: null }
const cycle = { subscription: 'sub_1', billing_reason: 'subscription_cycle' }
const ofInvoice = { payments: { data: [invoicePayment(IN, PI)] } }

test.each<[string, StripeEvent[], ...string[]]>([
  ['one alone', [intent()], ALONE],
  [
    'one with its charge, given whole',
    [intent(ofAnn), charged('succeeded', {}, 5)],
    'pi_1 5000-0 USD cus_1 visitor bob@example.com Bob',
  ],
  [
    'one of an old API version',
    [intent({ latest_charge: undefined, charges: { data: [charge({ id: CH })] } })],
    ALONE,
  ],
  ['one that names its invoice', [intent({ invoice: IN })]],
  ['one whose order is its invoice', [intent(ofOrder(IN)), bill()], BILLED],
  ['one whose order is another thing', [intent(ofOrder('order 17'))], ALONE],
  ['one of an invoice, by the link', [intent(), link(), bill()], BILLED],
  ['one of an invoice, by its payments', [intent(), bill(ofInvoice)], BILLED],
  ['one of an old invoice', [intent(), bill({ payment_intent: PI, charge: CH })], BILLED],
  [
    'one of a checkout',
    [intent(), session({ client_reference_id: VISITOR })],
    'pi_1 5000-0 USD visitor bob@example.com Bob',
  ],
  [
    'one of a checkout that was paid later',
    [session(unpaid), intent(), session({}, 'async_payment_succeeded')],
    'pi_1 5000-0 USD bob@example.com Bob',
  ],
  ['one of a checkout that made an invoice', [intent(), session({ invoice: IN }), bill()], BILLED],
  [
    'one that was captured in part, of a checkout',
    [
      session({ ...unpaid, client_reference_id: VISITOR }),
      charged('succeeded', hold, 5),
      charged('captured', part),
      intent({ amount_received: 3000, capture_method: 'manual' }),
    ],
    'pi_1 3000-0 USD visitor ann@example.com',
  ],
  [
    'one that was captured in part, and refunded in part',
    [intent({ amount_received: 3000 }), charged('refunded', { ...part, amount_refunded: 2400 })],
    'pi_1 3000-400 USD ann@example.com',
  ],
  [
    'a checkout of nothing, of a subscription and of a set-up',
    [
      session(free),
      session({ id: 'cs_2', mode: 'subscription', payment_intent: null }),
      session({ id: 'cs_3', mode: 'setup', payment_intent: null, amount_total: null }),
    ],
  ],
  ['an invoice of 0, as for a trial', [bill({ subscription: 'sub_1', amount_paid: 0, total: 0 })]],
  [
    'an invoice of a later cycle, reported as two events',
    ['paid', 'payment_succeeded'].map(type => ({
      ...bill(cycle),
      type: `invoice.${type}`,
      id: `evt_${type}`,
    })),
    `${BILLED} recurring renewal`,
  ],
  ['one in another currency', [intent({ currency: 'eur' })], 'pi_1 5000-0 EUR ann@example.com'],
  ['one of a connected account', [{ ...intent(), account: 'acct_1' }]],
])('payment intents: %s: the sale is one payment, in any order', async (_what, events, ...expected) => {
  expect(await delivered(events)).toEqual(expected)
})

test.each<[string, StripeEvent[], refunded: number]>([
  ['lost', [intent(), dispute()], 5000],
  ['lost in part', [intent(), dispute({ amount: 1500 })], 1500],
  [
    'lost, of a payment that was refunded in part',
    [intent(), charged('refunded', { amount_refunded: 1000 }), dispute({ amount: 1500 })],
    2500,
  ],
  ['lost beyond what was paid', [intent(), charged('refunded', { amount_refunded: 4000 }), dispute()], 5000],
  ['won', [intent(), dispute({ status: 'won' })], 0],
  ['lost, and won at last', [intent(), dispute(), dispute({ status: 'won' }, 20)], 0],
  ['two that are lost', [intent(), dispute({ amount: 1000 }), dispute({ id: 'du_2', amount: 500 })], 1500],
  [
    'lost, of an invoice',
    [bill({ payment_intent: PI, charge: CH }), dispute({ payment_intent: null })],
    5000,
  ],
  ['lost, of a checkout, by the intent', [session(), dispute({ charge: null, amount: 2000 })], 2000],
  ['of a connected account', [intent(), { ...dispute(), account: 'acct_1' }], 0],
])('disputes: one that is %s leaves the rest of the payment', async (_what, events, refunded) => {
  expect(await delivered(events)).toEqual([expect.stringContaining(` 5000-${refunded} USD`)])
})

const currency_conversion = {
  ...{ amount_subtotal: 5000, amount_total: 5000, fx_rate: '0.92', source_currency: 'usd' },
}
const converted = session({ amount_total: 4600, currency: 'eur', currency_conversion })
const inEuro = { currency: 'eur', amount: 4600, amount_captured: 4600 }
const half = { id: 're_1', charge: CH, payment_intent: PI, currency: 'eur', amount: 2300, created: onDay(7) }
const presented = { presentment_details: { presentment_amount: 4600, presentment_currency: 'eur' } }

test.each<[string, StripeEvent[], refunded: number]>([
  ['an old session', [converted], 0],
  [
    'an old session with its intent',
    [intent({ currency: 'eur', amount: 4600, amount_received: 4600 }), converted],
    0,
  ],
  [
    'a whole refund of an old session',
    [converted, charged('refunded', { ...inEuro, amount_refunded: 4600 })],
    5000,
  ],
  [
    'a partial refund of an old session',
    [converted, charged('succeeded', inEuro, 5), event('refund.created', refund(half), onDay(7))],
    2500,
  ],
  ['a lost dispute of an old session', [converted, dispute({ currency: 'eur', amount: 4600 })], 5000],
  ['a new session', [session(presented), intent(presented)], 0],
  [
    'a refund of a new session',
    [session(presented), charged('refunded', { amount_refunded: 1000, ...presented })],
    1000,
  ],
])(
  'prices that Stripe converted for the customer: %s counts in the currency of the price',
  async (_what, events, refunded) => {
    expect(await delivered(events)).toEqual([expect.stringContaining(` 5000-${refunded} USD`)])
  },
)
