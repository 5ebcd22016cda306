import {
  charge,
  coupon as couponOf,
  event,
  type Json,
  onDay,
  price as priceOf,
  type StripeEvent,
} from './stripe.ts'

// The events of one subscription in the shapes of Stripe's API versions. An endpoint keeps the version it was made
// with for years. Each shape follows the fixtures and the changelog that Stripe publishes for that version.

/** Where a version has the fields that the ledger reads. */
interface Shape {
  /** The version in an event. */
  version: string
  /** Items have a `price`, a `plan`, or both. */
  itemHas: ('price' | 'plan')[]
  /** The plan and quantity of the only item are on the subscription too. */
  hasPlanOnTop: boolean
  /** The discount is whole in `discount`, an id in `discounts`, or both. */
  discountIn: ('discount' | 'discounts')[]
  /** A discount has an `id`. */
  discountHasId: boolean
  /** The coupon is whole in `coupon`, or an id in `source.coupon`. */
  couponIn: 'coupon' | 'source'
  /** The invoice names subscription, charge and payment intent itself; else in `parent` and by `invoice_payment.paid`. */
  invoiceNames: boolean
  /** A payment intent lists its `charges`; else it names the `latest_charge`. */
  intentLists: boolean
}

const first: Shape = {
  version: '2019-05-16',
  itemHas: ['plan'],
  hasPlanOnTop: true,
  discountIn: ['discount'],
  discountHasId: false,
  couponIn: 'coupon',
  invoiceNames: true,
  intentLists: true,
}
const priced: Shape = {
  ...first,
  version: '2020-08-27',
  itemHas: ['price', 'plan'],
  hasPlanOnTop: false,
  discountHasId: true,
}
const latestCharge: Shape = { ...priced, version: '2022-11-15', intentLists: false }
// Since 2024, all versions that have `discount` also have `discounts`, as ids.
const stacked: Shape = { ...latestCharge, version: '2024-06-20', discountIn: ['discount', 'discounts'] }
const basil: Shape = {
  ...stacked,
  version: '2025-03-31.basil',
  discountIn: ['discounts'],
  invoiceNames: false,
}
const clover: Shape = { ...basil, version: '2025-09-30.clover', couponIn: 'source' }

export const shapes: Shape[] = [
  first,
  { ...first, discountHasId: true, discountIn: ['discount', 'discounts'] },
  priced,
  latestCharge,
  stacked,
  basil,
  clover,
]

/** 4,000 a month less 25 % forever, in the objects of a version; ids end with `suffix`. */
export function storyOf(shape: Shape, suffix: string) {
  const id = (prefix: string) => `${prefix}_${suffix}`
  const coupon = couponOf({ id: id('QUARTER'), percent_off: 25 })
  const discount: Json = {
    ...(shape.discountHasId && { id: id('di') }),
    object: 'discount',
    customer: id('cus'),
    end: null,
    start: onDay(1),
    subscription: id('sub'),
    ...(shape.couponIn === 'coupon'
      ? { coupon }
      : { source: { coupon: coupon.id, type: 'coupon' }, subscription_item: null }),
  }
  const ofGold = { id: 'gold', product: 'prod_gold', tiers_mode: null, transform_usage: null }
  const price = priceOf(4000, ofGold)
  const plan: Json = {
    ...{ ...ofGold, object: 'plan', active: true, amount: 4000, billing_scheme: 'per_unit', currency: 'usd' },
    ...{ interval: 'month', interval_count: 1, usage_type: 'licensed', aggregate_usage: null, tiers: null },
  }
  const discounts = {
    ...(shape.discountIn.includes('discount') && { discount }),
    ...(shape.discountIn.includes('discounts') && { discounts: [id('di')] }),
  }
  const subscription = (quantity: number, changes: Json = {}): Json => ({
    ...{ id: id('sub'), object: 'subscription', created: onDay(1), customer: id('cus') },
    ...{ billing_cycle_anchor: onDay(1), cancel_at_period_end: false, canceled_at: null, ...discounts },
    items: {
      object: 'list',
      data: [
        {
          id: id('si'),
          object: 'subscription_item',
          created: onDay(1),
          metadata: {},
          ...(shape.itemHas.includes('price') && { price }),
          ...(shape.itemHas.includes('plan') && { plan }),
          ...(!shape.discountIn.includes('discount') && { discounts: [], current_period_end: onDay(32) }),
          quantity,
          subscription: id('sub'),
          tax_rates: [],
        },
      ],
      has_more: false,
      ...(shape.hasPlanOnTop && { total_count: 1 }),
      url: `/v1/subscription_items?subscription=${id('sub')}`,
    },
    livemode: true,
    metadata: {},
    ...(shape.hasPlanOnTop && { plan, quantity, tax_percent: null, billing: 'charge_automatically' }),
    ...(shape.discountIn.includes('discount') && { current_period_end: onDay(32) }),
    status: 'active',
    ...changes,
  })
  const told = (type: string, object: Json, created: number) => ({
    ...event(type, object, created),
    api_version: shape.version,
  })
  /** Events of an invoice, its payment intent and its charge for one payment. */
  const payment = (name: string, billing_reason: string, paidAt: number): StripeEvent[] => {
    const [bill, intent, paid] = [id(`in_${name}`), id(`pi_${name}`), id(`ch_${name}`)]
    const invoice = {
      ...{ id: bill, object: 'invoice', amount_paid: 3000, billing_reason, currency: 'usd' },
      ...{ customer: id('cus'), customer_email: 'ann@example.com', customer_name: null, ...discounts },
      ...{ metadata: {}, status: 'paid' },
      status_transitions: { finalized_at: paidAt, paid_at: paidAt },
      ...(shape.invoiceNames
        ? { charge: paid, payment_intent: intent, subscription: id('sub'), paid: true, tax: null }
        : {
            parent: {
              type: 'subscription_details',
              quote_details: null,
              subscription_details: { metadata: {}, subscription: id('sub') },
            },
          }),
    }
    const paymentIntent = {
      ...{ id: intent, object: 'payment_intent', amount: 3000, customer: id('cus'), metadata: {} },
      ...(shape.invoiceNames && { invoice: bill }),
      ...(shape.intentLists
        ? { charges: { object: 'list', data: [chargeOf(name, 0)], has_more: false } }
        : { latest_charge: paid }),
    }
    const link = {
      id: id(`inpay_${name}`),
      object: 'invoice_payment',
      invoice: bill,
      payment: { payment_intent: intent, type: 'payment_intent' },
      status: 'paid',
    }
    return [
      told('payment_intent.succeeded', paymentIntent, paidAt),
      told('invoice.payment_succeeded', invoice, paidAt),
      ...(shape.invoiceNames ? [] : [told('invoice_payment.paid', link, paidAt)]),
    ]
  }
  const chargeOf = (name: string, amount_refunded: number): Json => ({
    ...charge({ id: id(`ch_${name}`), payment_intent: id(`pi_${name}`), customer: id('cus') }),
    ...{ amount: 3000, amount_refunded, ...(shape.invoiceNames && { invoice: id(`in_${name}`) }) },
    // Since 2022-11-15, events omit lists of refunds.
    ...(shape.intentLists && { refunds: { object: 'list', data: [], has_more: false } }),
  })
  const tellsOfDiscount = told('customer.discount.created', discount, onDay(1))
  const tellsOfCoupon = told('coupon.created', coupon, onDay(1))
  return {
    subscription,
    coupon,
    discount,
    told,
    events: [
      told('customer.subscription.created', subscription(1), onDay(1)),
      // Data that a version does not have in the subscription has its own event.
      ...(shape.discountIn.includes('discount') ? [] : [tellsOfDiscount]),
      ...(shape.couponIn === 'source' ? [tellsOfCoupon] : []),
      ...payment('1', 'subscription_create', onDay(1)),
      told('customer.subscription.updated', subscription(2), onDay(10)),
      ...payment('2', 'subscription_cycle', onDay(32)),
      told('charge.refunded', chargeOf('2', 500), onDay(33)),
      told('customer.subscription.updated', subscription(2, { cancel_at_period_end: true }), onDay(40)),
      told('customer.subscription.deleted', subscription(2, { status: 'canceled' }), onDay(60)),
    ],
  }
}
