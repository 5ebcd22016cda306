import {
  charge,
  checkout,
  coupon,
  discount,
  event,
  invoice,
  invoicePayment,
  item,
  type Json,
  price,
  type StripeEvent,
  subscription,
} from './stripe.ts'

// A Stripe account that lives: each change of it makes the events that Stripe would send, and changes the objects that its API shows
// afterwards. Months have 30 days here.

const DAY = 86_400
const PERIOD: Record<string, number> = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY }

interface Life {
  object: Json
  /** Prices and quantities by id of their item. */
  items: Map<string, { price: Json; quantity: number }>
  periodEnd: number
  /** Prorations are lines of an invoice at once, without invoice items. */
  isFlexible: boolean
  discounts: Json[]
  invoices: number
  pending: Json[]
}

export interface Account {
  events: StripeEvent[]
  /** Lists of the API by their path, the newest objects first. */
  lists(): Record<string, Json[]>
  customer(at: number, options?: Json): Json
  coupon(options: Json): Json
  price(amount: number, options?: Json): Json
  subscribe(
    at: number,
    options: {
      customer: string
      price: Json
      quantity?: number
      trialDays?: number
      coupon?: Json
      paidAfter?: number
      isFlexible?: boolean
      metadata?: Json
    },
  ): Life
  /** Changes, adds or removes (quantity 0) an item. */
  change(
    life: Life,
    at: number,
    itemNo: number,
    to: { price: Json; quantity: number; isProrated?: boolean },
  ): void
  discount(life: Life, at: number, of: Json): void
  schedule(life: Life, at: number): void
  status(life: Life, at: number, status: string): void
  cancel(life: Life, at: number): void
  /** Renews until a time. */
  until(life: Life, at: number): void
  refund(chargeId: string, at: number, amount: number): void
  buy(at: number, options: { customer: string; amount: number; visitor?: string }): void
  charges: Json[]
}

/** @param name of the account: ids of two accounts never meet */
export function openAccount(name: string): Account {
  let count = 0
  const id = (prefix: string) => `${prefix}_${name}${++count}`
  const events: StripeEvent[] = []
  const customers: Json[] = []
  const coupons: Json[] = []
  const prices: Json[] = []
  const lives: Life[] = []
  const invoices: Json[] = []
  const invoiceItems: Json[] = []
  const charges: Json[] = []
  const checkouts: Json[] = []
  const tell = (type: string, object: Json, at: number) =>
    events.push(event(type, structuredClone(object), at, id('evt')))

  function shape(life: Life): Json {
    const data = [...life.items].map(([itemId, { price: of, quantity }]) =>
      item(of, { id: itemId, quantity }),
    )
    return {
      ...life.object,
      items: { object: 'list', data, has_more: false },
      discounts: life.discounts,
    }
  }
  const update = (life: Life, at: number, type = 'updated') =>
    tell(`customer.subscription.${type}`, shape(life), at)

  function pay(amount: number, customer: string | null, at: number, metadata: Json = {}): Json {
    const intent = id('pi')
    const made = charge({ id: id('ch'), amount, created: at, customer, payment_intent: intent, metadata })
    charges.push(made)
    tell('charge.succeeded', made, at)
    return made
  }

  const amountOf = ({ price: of, quantity }: { price: Json; quantity: number }) =>
    Math.round(Number(of.unit_amount ?? 0) * quantity)

  function lineOf(
    itemId: string,
    of: { price: Json; quantity: number },
    start: number,
    options: Json = {},
  ): Json {
    const { amount = amountOf(of), isProration = false, invoiceItem = null } = options
    const ofItem = {
      type: 'subscription_item_details',
      subscription_item_details: {
        subscription_item: itemId,
        proration: isProration,
        invoice_item: invoiceItem,
        proration_details: { credited_items: null },
      },
      invoice_item_details: null,
    }
    const ofInvoiceItem = {
      type: 'invoice_item_details',
      invoice_item_details: {
        invoice_item: invoiceItem,
        proration: isProration,
        proration_details: { credited_items: null },
      },
      subscription_item_details: null,
    }
    return {
      id: id('il'),
      object: 'line_item',
      amount,
      quantity: of.quantity,
      period: { start, end: start + 1000 },
      pricing: {
        type: 'price_details',
        price_details: { price: of.price.id, product: of.price.product },
        unit_amount_decimal: '0',
      },
      discounts: [],
      parent: invoiceItem === null ? ofItem : ofInvoiceItem,
    }
  }

  /** @param paidAt undefined: it stays open */
  function bill(life: Life, at: number, reason: string, lines: Json[], paidAt: number | undefined): void {
    const { customer, id: of, metadata } = life.object
    const all = [...lines, ...life.pending.splice(0)]
    const total = Math.max(
      0,
      all.reduce((sum, { amount }) => sum + amount, 0),
    )
    const isPaid = paidAt !== undefined
    const made = invoice({
      id: id('in'),
      amount_due: total,
      amount_paid: isPaid ? total : 0,
      billing_reason: reason,
      created: at,
      customer,
      discounts: [...life.discounts, ...customerDiscounts(customer, life)],
      subscription: of,
      paidAt: paidAt ?? at,
      status: isPaid ? 'paid' : 'open',
      lines: { object: 'list', data: all, has_more: false },
      parent: {
        type: 'subscription_details',
        quote_details: null,
        subscription_details: { metadata, subscription: of },
      },
    })
    if (!isPaid) made.status_transitions.paid_at = null
    invoices.push(made)
    life.invoices += 1
    if (!isPaid) return
    // Events are of the time without what only the API's lists are asked to expand.
    tell('invoice.paid', { ...made, discounts: made.discounts.map(({ id: of }: Json) => of) }, paidAt)
    if (total === 0) return
    const paid = pay(total, customer, paidAt)
    const link = invoicePayment(made.id, paid.payment_intent)
    made.payments = { object: 'list', data: [link], has_more: false }
    tell('invoice_payment.paid', link, paidAt)
  }

  function customerDiscounts(customer: string, life: Life): Json[] {
    const own = customers.find(({ id: of }) => of === customer)?.discount
    return own && life.discounts.length === 0 ? [own] : []
  }

  const cycle = (life: Life, at: number, isTrial = false) =>
    [...life.items].map(([itemId, of]) => lineOf(itemId, of, at, isTrial ? { amount: 0 } : {}))

  const periodOf = (life: Life) => {
    const { interval, interval_count = 1 } = [...life.items.values()][0]!.price.recurring
    return PERIOD[interval]! * interval_count
  }

  const account: Account = {
    events,
    charges,
    lists: () => {
      const newest = (all: Json[]) => all.toReversed()
      return {
        customers: newest(customers),
        coupons: newest(coupons),
        prices: newest(prices),
        events: newest(events),
        subscriptions: newest(lives.map(shape)),
        charges: newest(charges),
        invoiceitems: newest(invoiceItems),
        invoices: newest(invoices),
        'checkout/sessions': newest(checkouts),
      }
    },
    customer(at, options = {}) {
      const { coupon: of, ...rest } = options
      const made: Json = {
        id: id('cus'),
        object: 'customer',
        created: at,
        metadata: {},
        discount: null,
        ...rest,
      }
      customers.push(made)
      tell('customer.created', made, at)
      if (of) {
        made.discount = discount(of, { id: id('di'), customer: made.id, start: at })
        tell('customer.discount.created', made.discount, at)
      }
      return made
    },
    coupon(options) {
      const made = coupon({ id: id('co'), ...options })
      coupons.push(made)
      return made
    },
    price(amount, options = {}) {
      const made = price(amount, { id: id('price'), ...options })
      prices.push(made)
      return made
    },
    subscribe(
      at,
      {
        customer,
        price: of,
        quantity = 1,
        trialDays = 0,
        coupon: given,
        paidAfter = 0,
        isFlexible = false,
        metadata = {},
      },
    ) {
      const subscriptionId = id('sub')
      const trialEnd = trialDays > 0 ? at + trialDays * DAY : null
      const life: Life = {
        object: subscription({
          id: subscriptionId,
          customer,
          created: at,
          start_date: at,
          metadata,
          trial_start: trialEnd === null ? null : at,
          trial_end: trialEnd,
          status: trialEnd !== null ? 'trialing' : paidAfter > 0 ? 'incomplete' : 'active',
        }),
        items: new Map([[id('si'), { price: of, quantity }]]),
        periodEnd: trialEnd ?? at,
        isFlexible,
        discounts: given
          ? [discount(given, { id: id('di'), subscription: subscriptionId, customer, start: at })]
          : [],
        invoices: 0,
        pending: [],
      }
      lives.push(life)
      update(life, at, 'created')
      if (trialEnd !== null) bill(life, at, 'subscription_create', cycle(life, at, true), at)
      else {
        life.periodEnd = at + periodOf(life)
        bill(life, at, 'subscription_create', cycle(life, at), at + paidAfter)
        if (paidAfter > 0) {
          life.object.status = 'active'
          update(life, at + paidAfter)
        }
      }
      return life
    },
    change(life, at, itemNo, { price: to, quantity, isProrated = true }) {
      account.until(life, at)
      const isMarked = !['trialing', 'canceled'].includes(life.object.status) && isProrated
      const itemId = [...life.items.keys()][itemNo] ?? id('si')
      const before = life.items.get(itemId)
      const after = { price: to, quantity }
      if (quantity === 0) life.items.delete(itemId)
      else life.items.set(itemId, after)
      if (isMarked) {
        const half = (of: { price: Json; quantity: number }) => Math.ceil(amountOf(of) / 2)
        if (before) prorate(life, at, itemId, before, -half(before))
        if (quantity > 0) prorate(life, at, itemId, after, half(after))
      }
      update(life, at)
      if (life.isFlexible && life.pending.length > 0) bill(life, at, 'subscription_update', [], at)
    },
    discount(life, at, of) {
      account.until(life, at)
      life.discounts = [discount(of, { id: id('di'), subscription: life.object.id, start: at })]
      update(life, at)
    },
    schedule(life, at) {
      account.until(life, at)
      Object.assign(life.object, { cancel_at_period_end: true, canceled_at: at })
      update(life, at)
    },
    status(life, at, status) {
      account.until(life, at)
      life.object.status = status
      update(life, at)
    },
    cancel(life, at) {
      account.until(life, at)
      if (life.object.status === 'canceled') return
      Object.assign(life.object, {
        status: 'canceled',
        ended_at: at,
        canceled_at: life.object.canceled_at ?? at,
      })
      update(life, at, 'deleted')
    },
    until(life, at) {
      while (life.periodEnd <= at && life.object.status !== 'canceled') {
        const start = life.periodEnd
        if (life.object.cancel_at_period_end) {
          Object.assign(life.object, { status: 'canceled', ended_at: start })
          update(life, start, 'deleted')
          return
        }
        life.periodEnd = start + periodOf(life)
        if (life.object.status === 'trialing') life.object.status = 'active'
        update(life, start)
        const isPaid = ['active', 'past_due'].includes(life.object.status)
        bill(life, start, 'subscription_cycle', cycle(life, start), isPaid ? start + 3600 : undefined)
      }
    },
    refund(chargeId, at, amount) {
      const found = charges.find(({ id: of }) => of === chargeId)!
      found.amount_refunded = Math.min(found.amount, found.amount_refunded + amount)
      tell('charge.refunded', found, at)
    },
    buy(at, { customer, amount, visitor }) {
      const paid = pay(amount, customer, at)
      const made = checkout({
        id: id('cs'),
        created: at - 600,
        amount_total: amount,
        customer,
        payment_intent: paid.payment_intent,
        client_reference_id: visitor ?? null,
      })
      checkouts.push(made)
      tell('checkout.session.completed', made, at)
    },
  }

  function prorate(
    life: Life,
    at: number,
    itemId: string,
    of: { price: Json; quantity: number },
    amount: number,
  ): void {
    if (life.isFlexible) {
      life.pending.push(lineOf(itemId, of, at, { amount, isProration: true }))
      return
    }
    const made = {
      id: id('ii'),
      object: 'invoiceitem',
      amount,
      created: at,
      date: at,
      customer: life.object.customer,
      period: { start: at, end: at + DAY },
      proration: true,
      proration_details: { credited_items: null, discount_amounts: [] },
      quantity: of.quantity,
      pricing: { type: 'price_details', price_details: { price: of.price.id, product: of.price.product } },
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: life.object.id, subscription_item: itemId },
      },
    }
    invoiceItems.push(made)
    life.pending.push(lineOf(itemId, of, at, { amount, isProration: true, invoiceItem: made.id }))
  }

  return account
}
