/** A payment to be recorded. Amounts are minor units; what is absent, null or empty is not known. */
export interface NewPayment {
  /** What it is known by, once a site. */
  transactionId: string
  /** Other ids of the same sale at the processor: none of them can become a second payment. */
  aliases?: readonly string[] | undefined
  /** 1 to 2^53 − 1 */
  amountMinor: number
  /** Of it; of a payment that is `refunded` all. */
  refundedMinor?: number | undefined
  /** ISO 4217, upper case. */
  currency: string
  visitorId?: string | null | undefined
  sessionId?: string | null | undefined
  email?: string | null | undefined
  name?: string | null | undefined
  customerId?: string | null | undefined
  renewal: boolean
  refunded: boolean
  isFreeTrial: boolean
  recurring: boolean
  paidAt: Date
  source: 'api' | 'processor'
}

/** A payment as the database holds it. */
export interface PaymentRecord {
  id: string
  transactionId: string
  amountMinor: number
  refundedMinor: number
  currency: string
  visitorId: string | null
  sessionId: string | null
  email: string | null
  name: string | null
  customerId: string | null
  renewal: boolean
  /** Wholly. */
  refunded: boolean
  isFreeTrial: boolean
  recurring: boolean
  paidAt: Date
  source: 'api' | 'processor'
  createdAt: Date
  customer: string
}

/**
 * Who paid (contract §10), after a letter that keeps the kinds apart: customer_id, else the e-mail address in lower case,
 * else the visitor, else the payment itself.
 */
export function customerOf(payment: NewPayment): string {
  const { customerId, email, visitorId, transactionId } = payment
  if (customerId) return `c:${customerId}`
  if (email) return `e:${email.toLowerCase()}`
  if (visitorId) return `v:${visitorId.toLowerCase()}`
  return `p:${transactionId}`
}

/** How much of a payment was given back: never more than was paid. */
export function refundOf({ amountMinor, refundedMinor = 0, refunded }: NewPayment): number {
  return refunded ? amountMinor : Math.min(amountMinor, Math.max(0, refundedMinor))
}
