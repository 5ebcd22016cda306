import type { Stripe } from 'stripe'
import type { ImportCounts } from './counts.ts'
import * as read from './read-objects.ts'
import type { ReadFact } from './store-facts.ts'

/** What is read of an account, in this order: what later phases name comes before them. */
export const PHASES = [
  'customers',
  'coupons',
  'prices',
  'events',
  'subscriptions',
  'charges',
  'prorations',
  'invoices',
  'checkouts',
] as const
export type PhaseName = (typeof PHASES)[number]

export interface PageOf {
  limit: number
  starting_after?: string
}

/** A page of the processor's list, the newest objects first. */
export type Page = Stripe.Response<Stripe.ApiList<{ id: string }>>

export interface Phase {
  /** What the key must be allowed to read, as Stripe's dashboard names it. */
  permission: string
  /** @param from Unix seconds; objects before it are left out */
  list: (stripe: Stripe, page: PageOf, from: number | undefined) => Promise<Page>
  /**
   * Reads one object and counts it.
   * @param at when the processor answered, Unix milliseconds
   * @throws ZodError, AppError, RangeError for an object beyond the accepted bounds
   */
  read: (object: unknown, at: number, counts: ImportCounts, from: Date | null) => ReadFact[]
}

const since = (from: number | undefined) => (from === undefined ? {} : { created: { gte: from } })

/** Events that the processor keeps for 30 days: the only exact source of what changed without a proration. */
const EVENTS = [
  ...['created', 'updated', 'deleted', 'paused', 'resumed', 'trial_will_end'].map(
    what => `customer.subscription.${what}`,
  ),
  ...['created', 'updated', 'deleted'].map(what => `customer.discount.${what}`),
]

export const PHASE: Record<PhaseName, Phase> = {
  customers: {
    permission: 'Customers',
    list: (stripe, page) =>
      stripe.customers.list({ ...page, expand: ['data.discount.source.coupon'] }) as Promise<Page>,
    read: read.customer,
  },
  coupons: {
    permission: 'Coupons',
    list: (stripe, page) =>
      stripe.coupons.list({ ...page, expand: ['data.applies_to', 'data.currency_options'] }),
    read: read.coupon,
  },
  prices: {
    permission: 'Prices',
    list: (stripe, page) =>
      stripe.prices.list({ ...page, type: 'recurring', expand: ['data.tiers', 'data.currency_options'] }),
    read: read.price,
  },
  events: {
    permission: 'Events',
    list: (stripe, page) => stripe.events.list({ ...page, types: EVENTS }),
    read: read.event,
  },
  subscriptions: {
    permission: 'Subscriptions',
    list: (stripe, page) =>
      stripe.subscriptions.list({
        ...page,
        status: 'all',
        expand: ['data.discounts.source.coupon', 'data.items.data.discounts'],
      }),
    read: read.subscription,
  },
  charges: {
    permission: 'Charges',
    list: (stripe, page, from) => stripe.charges.list({ ...page, ...since(from) }),
    read: read.charge,
  },
  prorations: {
    permission: 'Invoices',
    list: (stripe, page, from) => stripe.invoiceItems.list({ ...page, ...since(from) }),
    read: read.proration,
  },
  invoices: {
    permission: 'Invoices',
    list: (stripe, page, from) =>
      stripe.invoices.list({
        ...page,
        ...since(from),
        expand: ['data.payments', 'data.discounts.source.coupon', 'data.lines.data.discounts'],
      }) as Promise<Page>,
    read: read.invoice,
  },
  checkouts: {
    permission: 'Checkout Sessions',
    list: (stripe, page, from) =>
      stripe.checkout.sessions.list({ ...page, ...since(from), status: 'complete' }),
    read: read.checkout,
  },
}
