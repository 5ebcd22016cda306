/** What an import has read, by kind of object. */
export interface ReadCounts {
  customers: number
  coupons: number
  prices: number
  events: number
  subscriptions: number
  charges: number
  /** Charges that were refunded, in part or wholly. */
  refunded: number
  prorations: number
  invoices: number
  checkouts: number
}

/** Objects whose data is beyond the accepted bounds; the first hundred by name. */
export interface Unreadable {
  id: string
  reason: string
}

/** Counts of an import, as they are stored and shown. */
export interface ImportCounts {
  read: ReadCounts
  /** Payments that were found, by currency; amounts in minor units before refunds, with all digits: a sum may be beyond 2^53. */
  payments: Record<string, { count: number; amount: string }>
  /** Times of the first and last payment, ISO 8601. */
  first_payment: string | null
  last_payment: string | null
  unreadable: Unreadable[]
  unreadable_total: number
}

export const MOST_NAMED = 100

export const noCounts = (): ImportCounts => ({
  read: {
    customers: 0,
    coupons: 0,
    prices: 0,
    events: 0,
    subscriptions: 0,
    charges: 0,
    refunded: 0,
    prorations: 0,
    invoices: 0,
    checkouts: 0,
  },
  payments: {},
  first_payment: null,
  last_payment: null,
  unreadable: [],
  unreadable_total: 0,
})

/** Counts a payment that was found. */
export function countPayment(
  counts: ImportCounts,
  { amountMinor, currency }: { amountMinor: number; currency: string },
  paidAt: number,
): void {
  const sum = counts.payments[currency] ?? { count: 0, amount: '0' }
  const amount = String(BigInt(sum.amount) + BigInt(amountMinor))
  counts.payments[currency] = { count: sum.count + 1, amount }
  const at = new Date(paidAt).toISOString()
  if (counts.first_payment === null || at < counts.first_payment) counts.first_payment = at
  if (counts.last_payment === null || at > counts.last_payment) counts.last_payment = at
}

/** Counts an object that cannot be read. */
export function countUnreadable(counts: ImportCounts, unreadable: Unreadable): void {
  counts.unreadable_total += 1
  if (counts.unreadable.length < MOST_NAMED) counts.unreadable.push(unreadable)
}
