import type { Outputs } from '../../api/types.ts'

export type Payment = Outputs['payments']['list']['data'][number]

/** Returns the key of a payment's customer. @see docs/metrics.md "Customer" */
function customerKey({ customer_id, email, visitor_id, transaction_id }: Payment): string {
  if (customer_id) return `c:${customer_id}`
  if (email) return `e:${email.toLowerCase()}`
  return visitor_id ? `v:${visitor_id}` : `p:${transaction_id}`
}

/** Returns who paid. Customers are known of payments in the currency of the site. */
export const customerOfPayment = (payment: Payment, currency: string) => ({
  id: payment.currency === currency ? customerKey(payment) : null,
  name: payment.name,
  email: payment.email,
  other: payment.customer_id ?? payment.transaction_id,
})
