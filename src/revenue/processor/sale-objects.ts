import { z } from 'zod'
import { text } from '../../schema/validation.ts'
import {
  Amount,
  Currency,
  Id,
  Metadata,
  MOST_CHARGES,
  PastSeconds,
  Reference,
  reference,
  visitorIn,
} from './objects.ts'

// Invoices, checkouts, charges and refunds, in the shapes of all Stripe API versions.

const words = text(255).nullish().catch(null)
const SubscriptionDetails = z.object({ subscription: reference, metadata: Metadata }).nullish()
const PaymentOfInvoice = z.object({ payment_intent: reference, charge: reference }).nullish()

export const Invoice = z
  .object({
    id: Id,
    amount_paid: Amount,
    currency: Currency,
    customer: reference,
    customer_email: words,
    customer_name: words,
    billing_reason: text(50).nullish(),
    subscription: reference,
    subscription_details: SubscriptionDetails,
    parent: z.object({ subscription_details: SubscriptionDetails }).nullish(),
    payment_intent: reference,
    charge: reference,
    payments: z
      .object({
        data: z
          .array(z.object({ payment: PaymentOfInvoice }))
          .max(MOST_CHARGES)
          .nullish(),
      })
      .nullish(),
    status_transitions: z.object({ paid_at: PastSeconds.nullish() }).nullish(),
    metadata: Metadata,
  })
  .transform(invoice => {
    const details = invoice.parent?.subscription_details ?? invoice.subscription_details
    const payments = invoice.payments?.data?.map(({ payment }) => payment) ?? []
    return {
      id: invoice.id,
      subscriptionId: invoice.subscription ?? details?.subscription ?? null,
      customerId: invoice.customer,
      visitorId: invoice.metadata ?? details?.metadata ?? null,
      saleIds: [
        invoice.id,
        invoice.payment_intent,
        invoice.charge,
        ...payments.flatMap(payment => [payment?.payment_intent, payment?.charge]),
      ],
      body: {
        transactionId: invoice.id,
        amountMinor: invoice.amount_paid,
        currency: invoice.currency,
        email: invoice.customer_email ?? null,
        name: invoice.customer_name ?? null,
        /** Unix milliseconds; null: the event's time applies. */
        paidAt: invoice.status_transitions?.paid_at ? invoice.status_transitions.paid_at * 1000 : null,
        reason: invoice.billing_reason ?? null,
      },
    }
  })

export const InvoicePayment = z
  .object({ id: Id, invoice: reference, payment: PaymentOfInvoice })
  .transform(({ id, invoice, payment }) => ({
    id,
    saleIds: [invoice, payment?.payment_intent, payment?.charge],
    body: null,
  }))

export const Checkout = z
  .object({
    id: Id,
    mode: text(50).nullish(),
    payment_status: text(50).nullish(),
    amount_total: Amount.nullish(),
    currency: Currency.nullish(),
    customer: reference,
    customer_email: words,
    customer_details: z.object({ email: words, name: words }).nullish(),
    client_reference_id: z.unknown().optional(),
    invoice: reference,
    payment_intent: reference,
    subscription: reference,
    metadata: Metadata,
  })
  .transform(session => {
    const { invoice, payment_intent, amount_total, currency } = session
    // Old sessions have no mode: a one-time sale is then a session with a payment intent and without a subscription.
    const mode = session.mode ?? (payment_intent && !session.subscription ? 'payment' : null)
    const isSale = mode === 'payment' && invoice === null && session.payment_status !== 'unpaid'
    return {
      id: session.id,
      subscriptionId: session.subscription,
      customerId: session.customer,
      visitorId: visitorIn(session.client_reference_id) ?? session.metadata,
      saleIds: [invoice, payment_intent, ...(isSale ? [session.id] : [])],
      /** Null when an invoice reports the payment, or nothing was paid. */
      body:
        isSale && amount_total && currency
          ? {
              transactionId: payment_intent ?? session.id,
              amountMinor: amount_total,
              currency,
              email: session.customer_details?.email ?? session.customer_email ?? null,
              name: session.customer_details?.name ?? null,
              paidAt: null,
              reason: null,
            }
          : null,
    }
  })

/** Payment data of a paid invoice or checkout. */
export type Paid = z.infer<typeof Invoice>['body']

export const Charge = z
  .object({
    id: Id,
    amount_refunded: Amount.nullish(),
    payment_intent: reference,
    invoice: reference,
    customer: reference,
    metadata: Metadata,
  })
  .transform(charge => ({
    id: charge.id,
    customerId: charge.customer,
    visitorId: charge.metadata,
    saleIds: [charge.id, charge.payment_intent, charge.invoice],
    body: chargeBody(charge.amount_refunded),
  }))

/** `createdAt`: Unix milliseconds, where an import has read it. */
const chargeBody = (refunded: number | null | undefined): { refundedMinor: number; createdAt?: number } => ({
  refundedMinor: refunded ?? 0,
})

export const Refund = z
  .object({
    id: Id,
    amount: Amount,
    status: text(50).nullish(),
    charge: reference,
    payment_intent: reference,
    created: PastSeconds.nullish(),
  })
  .refine(({ charge, payment_intent }) => charge !== null || payment_intent !== null, {
    path: ['charge'],
    message: 'is required',
  })
  .transform(refund => ({
    id: refund.id,
    saleIds: [refund.charge, refund.payment_intent],
    body: {
      chargeId: refund.charge ?? refund.payment_intent!,
      amountMinor: refund.amount,
      status: refund.status ?? null,
      /** Unix milliseconds; null: the event's time applies. */
      createdAt: refund.created === null || refund.created === undefined ? null : refund.created * 1000,
    },
  }))

export const PaymentIntent = z
  .object({
    id: Id,
    latest_charge: reference,
    invoice: reference,
    charges: z.object({ data: z.array(Reference).max(MOST_CHARGES).nullish() }).nullish(),
    customer: reference,
    metadata: Metadata,
  })
  .transform(intent => ({
    id: intent.id,
    customerId: intent.customer,
    visitorId: intent.metadata,
    saleIds: [intent.id, intent.latest_charge, intent.invoice, ...(intent.charges?.data ?? [])],
    body: null,
  }))
