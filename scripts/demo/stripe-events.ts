import type { Customer } from './customers.ts'
import { seatPrice, type Terms } from './plans.ts'
import type { Invoice, Step, Subscription } from './subscription.ts'

/** An event as Stripe's webhook delivers it. */
export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  /** Unix seconds. */
  created: number
  data: { object: object }
}

const seconds = (at: number) => Math.floor(at / 1_000)

/** Returns the events of all customers in the order in which they happened. */
export function stripeEvents(customers: readonly Customer[]): StripeEvent[] {
  const events = customers.flatMap((customer, index) =>
    customer.subscriptions.flatMap((subscription, number) =>
      eventsOf(customer, subscription, `demo_${index + 1}`, number + 1),
    ),
  )
  return events.sort((a, b) => a.created - b.created)
}

function eventsOf(
  { person, visitorId }: Customer,
  { steps, invoices }: Subscription,
  customer: string,
  number: number,
): StripeEvent[] {
  const key = `${customer}_${number}`
  const event = (name: string, type: string, at: number, object: object): StripeEvent => ({
    id: `evt_${key}_${name}`,
    object: 'event',
    type,
    created: seconds(at),
    data: { object },
  })
  const metadata = visitorId === null ? {} : { visitor_id: visitorId }
  const stateOf = (step: Step) => ({
    id: `sub_${key}`,
    object: 'subscription',
    customer: `cus_${customer}`,
    created: seconds(steps[0]!.at),
    start_date: seconds(steps[0]!.at),
    currency: 'usd',
    status: step.status,
    cancel_at_period_end: step.isEnding === true,
    discounts: [],
    metadata,
    items: { object: 'list', has_more: false, data: [itemOf(key, step.terms)] },
  })
  const paid = (invoice: Invoice, index: number) => ({
    ...payment(`${key}_${index}`),
    object: 'invoice',
    amount_paid: invoice.cents,
    billing_reason: invoice.isFirst ? 'subscription_create' : 'subscription_cycle',
    currency: 'usd',
    customer: `cus_${customer}`,
    customer_email: person.email,
    customer_name: person.name,
    parent: { subscription_details: { subscription: `sub_${key}`, metadata } },
    status_transitions: { paid_at: seconds(invoice.at) },
  })
  return [
    ...steps.map((step, index) => event(`s${index}`, stepType(step, index), step.at, stateOf(step))),
    ...invoices.map((invoice, index) => event(`i${index}`, 'invoice.paid', invoice.at, paid(invoice, index))),
    ...invoices.flatMap(({ refund }, index) =>
      refund
        ? [
            event(
              `r${index}`,
              'charge.refunded',
              refund.at,
              chargeOf(`${key}_${index}`, customer, refund.cents),
            ),
          ]
        : [],
    ),
  ]
}

function stepType({ status }: Step, index: number): string {
  if (status === 'canceled') return 'customer.subscription.deleted'
  return index === 0 ? 'customer.subscription.created' : 'customer.subscription.updated'
}

/** The ids under which one payment is known. */
const payment = (key: string) => ({ id: `in_${key}`, payment_intent: `pi_${key}`, charge: `ch_${key}` })

function chargeOf(key: string, customer: string, cents: number): object {
  const { id: invoice, payment_intent, charge: id } = payment(key)
  return {
    id,
    object: 'charge',
    invoice,
    payment_intent,
    customer: `cus_${customer}`,
    amount_refunded: cents,
  }
}

function itemOf(key: string, terms: Terms): object {
  const { tier, interval, seats } = terms
  const cents = seatPrice(terms)
  return {
    id: `si_${key}`,
    quantity: seats,
    discounts: [],
    price: {
      id: `price_${tier}_${interval}`,
      object: 'price',
      billing_scheme: 'per_unit',
      currency: 'usd',
      product: `prod_${tier}`,
      recurring: { interval, interval_count: 1, usage_type: 'licensed' },
      unit_amount: cents,
      unit_amount_decimal: String(cents),
    },
  }
}
