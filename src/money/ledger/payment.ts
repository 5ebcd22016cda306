/** What a payment is before and after it is recorded. Amounts are minor units. */
interface Payment {
  /** Unique per site. */
  transactionId: string
  /** 1 to 2^53 − 1 */
  amountMinor: number
  /** ISO 4217, upper case. */
  currency: string
  renewal: boolean
  /** Whether the whole amount was refunded. */
  refunded: boolean
  isFreeTrial: boolean
  recurring: boolean
  paidAt: Date
  source: 'api' | 'processor'
}

type PayerField = 'visitorId' | 'sessionId' | 'email' | 'name' | 'customerId'

/** A payment to be recorded. An absent, null or empty field means unknown. */
export interface NewPayment extends Payment, Partial<Record<PayerField, string | null | undefined>> {
  /** Other ids of the same sale at the processor. No second payment can be recorded under any of them. */
  aliases?: readonly string[] | undefined
  /** Refunded part of the amount; ignored when `refunded` is set. */
  refundedMinor?: number | undefined
}

/** A payment as it is stored in the database. */
export interface PaymentRecord extends Payment, Record<PayerField, string | null> {
  id: string
  refundedMinor: number
  createdAt: Date
  customer: string
  wasSentRefunded: boolean
  /** Further ids of the same payment. */
  aliases: string[]
}

/** Columns of `payments` in the form of `PaymentRecord`. */
const OWN_COLUMNS = `
  id, transaction_id as "transactionId", amount_minor as "amountMinor", refunded_minor as "refundedMinor", currency,
  visitor_id as "visitorId", session_id as "sessionId", email, name, customer_id as "customerId", renewal,
  refunded_minor = amount_minor as refunded, is_free_trial as "isFreeTrial", recurring, paid_at as "paidAt", source,
  created_at as "createdAt", customer, payments.refunded as "wasSentRefunded"`
export const PAYMENT_COLUMNS = `${OWN_COLUMNS},
  array(select transaction_id from payment_aliases where site_no = :siteNo::int and payment_id = payments.id) as aliases`
/** Of a row that is being inserted: its aliases come later. */
export const NEW_PAYMENT_COLUMNS = `${OWN_COLUMNS}, '{}'::text[] as aliases`

/**
 * Returns the key of the customer who paid (docs/metrics.md "Customer"): customer_id, else the e-mail address in lower case,
 * else the visitor, else the payment itself. The letter in front distinguishes the four kinds.
 */
export function customerOf(payment: NewPayment): string {
  const { customerId, email, visitorId, transactionId } = payment
  if (customerId) return `c:${customerId}`
  if (email) return `e:${email.toLowerCase()}`
  if (visitorId) return `v:${visitorId.toLowerCase()}`
  return `p:${transactionId}`
}

/** Returns the refunded amount of a payment, at most the paid amount. */
export function refundOf({ amountMinor, refundedMinor = 0, refunded }: NewPayment): number {
  return refunded ? amountMinor : Math.min(amountMinor, Math.max(0, refundedMinor))
}
