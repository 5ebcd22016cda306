import type { ReadFact } from '../../../money/import/store-facts.ts'
import { fileId, UNLINKED } from '../../../money/processor/event.ts'
import { mrrOf } from '../../../money/subscriptions/mrr.ts'
import type { MoneyRow } from './row-schema.ts'

/** Beside `refunded`, which is the total to date, no refund of the same file is added. */
const END = new Date('9999-01-01T00:00:00Z')

/** Returns the facts of a row: the same that an event of the payment processor would give. */
export function factsOf(row: MoneyRow): ReadFact[] {
  const common = { ...UNLINKED, objectId: row.id, at: new Date(row.at) }
  if (row.type === 'refund') {
    const body = { chargeId: row.payment, amountMinor: row.amount, status: 'succeeded', createdAt: row.at }
    return [{ ...common, eventId: fileId(row.id), kind: 'refund', saleIds: [row.payment], body }]
  }
  const links = { customerId: row.customer ?? null, visitorId: row.visitor ?? null }
  if (row.type === 'subscription') {
    return [
      {
        ...common,
        ...links,
        eventId: fileId(`${row.id}/${row.at}`),
        kind: 'subscription',
        subscriptionId: row.id,
        body: stateOf(row),
      },
    ]
  }
  const payment: ReadFact = {
    ...common,
    ...links,
    eventId: fileId(row.id),
    // With and without a subscription: a row that names another one later must stay one fact.
    kind: 'invoice',
    subscriptionId: row.subscription ?? null,
    saleIds: [row.id],
    body: {
      transactionId: row.id,
      amountMinor: row.amount,
      currency: row.currency,
      email: row.email ?? null,
      name: row.name ?? null,
      paidAt: row.at,
      // Without a reason, the first payment of a subscription is its start, and each further one a renewal.
      reason: null,
    },
  }
  if (row.refunded === undefined) return [payment]
  const body = { refundedMinor: row.refunded }
  return [payment, { ...common, eventId: fileId(row.id), at: END, kind: 'charge', saleIds: [row.id], body }]
}

/** Returns why the MRR of a subscription cannot be worked out exactly; undefined for all other rows. */
export function whyInexact(row: MoneyRow): string | undefined {
  if (row.type !== 'subscription') return undefined
  try {
    mrrOf(stateOf(row).items, [], row.currency, NO_DEFINITIONS)
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return `amount × quantity is too large: ${error.message}`
    throw error
  }
}

const NO_DEFINITIONS = { discounts: new Map(), coupons: new Map(), prices: new Map() }

const stateOf = (row: Extract<MoneyRow, { type: 'subscription' }>) => ({
  status: row.status,
  currency: row.currency,
  isEnding: row.ending ?? false,
  isCut: false,
  discounts: null,
  items: [
    {
      id: row.id,
      quantity: row.quantity ?? 1,
      discounts: [],
      includedTaxes: [],
      price: {
        id: fileId(row.id),
        currency: row.currency,
        product: null,
        unitAmount: row.amount,
        recurring: { interval: row.interval, count: row.interval_count ?? 1, usage: 'licensed' },
        isTiered: false,
        isGraduated: false,
        tiers: null,
        packages: null,
      },
    },
  ],
})
