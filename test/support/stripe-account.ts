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

interface Part {
  price: Json
  quantity: number
}

export interface Life {
  object: Json
  /** By id of the item. */
  items: Map<string, Part>
  periodEnd: number
  /** Prorations are lines of an invoice at once, without invoice items. */
  isFlexible: boolean
  discounts: Json[]
  pending: Json[]
}

export type Account = ReturnType<typeof openAccount>

/** @param name of the account: ids of two accounts never meet */
export function openAccount(name: string) {
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

  const amountOf = ({ price: of, quantity }: Part) => Math.round(Number(of.unit_amount ?? 0) * quantity)

  function lineOf(itemId: string, of: Part, start: number, options: Json = {}): Json {
    const { amount = amountOf(of), isProration = false, invoiceItem = null } = options
    const type = invoiceItem === null ? 'subscription_item_details' : 'invoice_item_details'
    const details = {
      ...(invoiceItem === null && { subscription_item: itemId }),
      proration: isProration,
      invoice_item: invoiceItem,
      proration_details: { credited_items: null },
    }
    return {
      ...{ id: id('il'), object: 'line_item', amount, quantity: of.quantity },
      period: { start, end: start + 1000 },
      pricing: {
        type: 'price_details',
        price_details: { price: of.price.id, product: of.price.product },
        unit_amount_decimal: '0',
      },
      discounts: [],
      parent: { invoice_item_details: null, subscription_item_details: null, type, [type]: details },
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

  /** Returns the lists of the API by their path, the newest objects first. */
  function lists(): Record<string, Json[]> {
    const all = { customers, coupons, prices, events, charges, invoices, invoiceitems: invoiceItems }
    const others = { subscriptions: lives.map(shape), 'checkout/sessions': checkouts }
    const oldestFirst: [string, Json[]][] = Object.entries({ ...all, ...others })
    return Object.fromEntries(oldestFirst.map(([path, list]) => [path, list.toReversed()]))
  }

  function openCustomer(at: number, { coupon: of, ...rest }: Json = {}): Json {
    const made: Json = {
      ...{ id: id('cus'), object: 'customer', created: at, metadata: {}, discount: null },
      ...rest,
    }
    customers.push(made)
    tell('customer.created', made, at)
    if (of) {
      made.discount = discount(of, { id: id('di'), customer: made.id, start: at })
      tell('customer.discount.created', made.discount, at)
    }
    return made
  }

  /** @param options `paidAfter`: seconds until the first invoice is paid; `coupon` and `metadata` as in Stripe */
  function subscribe(at: number, options: Json & { customer: string; price: Json }): Life {
    const { customer, price: of, quantity = 1, trialDays = 0, coupon: given, paidAfter = 0 } = options
    const subscriptionId = id('sub')
    const trialEnd = trialDays > 0 ? at + trialDays * DAY : null
    const life: Life = {
      object: subscription({
        ...{ id: subscriptionId, customer, created: at, start_date: at, metadata: options.metadata ?? {} },
        ...{ trial_start: trialEnd === null ? null : at, trial_end: trialEnd },
        status: trialEnd !== null ? 'trialing' : paidAfter > 0 ? 'incomplete' : 'active',
      }),
      items: new Map([[id('si'), { price: of, quantity }]]),
      periodEnd: trialEnd ?? at,
      isFlexible: options.isFlexible ?? false,
      discounts: given
        ? [discount(given, { id: id('di'), subscription: subscriptionId, customer, start: at })]
        : [],
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
  }

  /** Changes, adds or removes (quantity 0) an item. */
  function change(life: Life, at: number, itemNo: number, to: Part): void {
    until(life, at)
    const isMarked = !['trialing', 'canceled'].includes(life.object.status)
    const itemId = [...life.items.keys()][itemNo] ?? id('si')
    const before = life.items.get(itemId)
    if (to.quantity === 0) life.items.delete(itemId)
    else life.items.set(itemId, to)
    if (isMarked) {
      const half = (of: Part) => Math.ceil(amountOf(of) / 2)
      if (before) prorate(life, at, itemId, before, -half(before))
      if (to.quantity > 0) prorate(life, at, itemId, to, half(to))
    }
    update(life, at)
    if (life.isFlexible && life.pending.length > 0) bill(life, at, 'subscription_update', [], at)
  }

  /** Changes fields of a subscription. */
  function set(life: Life, at: number, fields: Json): void {
    until(life, at)
    Object.assign(life.object, fields)
    update(life, at)
  }

  function cancel(life: Life, at: number): void {
    until(life, at)
    if (life.object.status === 'canceled') return
    const canceled_at = life.object.canceled_at ?? at
    Object.assign(life.object, { status: 'canceled', ended_at: at, canceled_at })
    update(life, at, 'deleted')
  }

  /** Renews until a time. */
  function until(life: Life, at: number): void {
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
  }

  function prorate(life: Life, at: number, itemId: string, of: Part, amount: number): void {
    if (life.isFlexible) {
      life.pending.push(lineOf(itemId, of, at, { amount, isProration: true }))
      return
    }
    const made = {
      ...{ id: id('ii'), object: 'invoiceitem', amount, created: at, date: at },
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

  /** Keeps what the API lists. */
  const listed = (list: Json[], made: Json): Json => {
    list.push(made)
    return made
  }

  return {
    events,
    charges,
    lists,
    customer: openCustomer,
    coupon: (options: Json) => listed(coupons, coupon({ id: id('co'), ...options })),
    price: (amount: number, options: Json = {}) =>
      listed(prices, price(amount, { id: id('price'), ...options })),
    subscribe,
    change,
    discount(life: Life, at: number, of: Json): void {
      until(life, at)
      life.discounts = [discount(of, { id: id('di'), subscription: life.object.id, start: at })]
      update(life, at)
    },
    schedule: (life: Life, at: number) => set(life, at, { cancel_at_period_end: true, canceled_at: at }),
    status: (life: Life, at: number, status: string) => set(life, at, { status }),
    cancel,
    until,
    refund(chargeId: string, at: number, amount: number): void {
      const found = charges.find(({ id: of }) => of === chargeId)!
      found.amount_refunded = Math.min(found.amount, found.amount_refunded + amount)
      tell('charge.refunded', found, at)
    },
    buy(
      at: number,
      { customer, amount, visitor }: { customer: string; amount: number; visitor?: string },
    ): void {
      const { payment_intent } = pay(amount, customer, at)
      const of = { customer, payment_intent, client_reference_id: visitor ?? null }
      const made = checkout({ id: id('cs'), created: at - 600, amount_total: amount, ...of })
      checkouts.push(made)
      tell('checkout.session.completed', made, at)
    },
  }
}
