import { z } from 'zod'
import { text } from '../../platform/schema/validation.ts'
import { Amount, Currency, Id, Metadata, MOST_CHARGES, PastSeconds, reference, visitorIn } from './objects.ts'

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
    currency_conversion: z.object({ amount_total: Amount, source_currency: Currency }).nullish().catch(null),
  })
  .transform(session => {
    const { invoice, payment_intent, amount_total, currency, currency_conversion: conversion } = session
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
              // Adaptive Pricing until 2025-03-31: the session is in the customer's currency, and the price in this one.
              amountMinor: conversion?.amount_total ?? amount_total,
              currency: conversion?.source_currency ?? currency,
              ...(conversion && { presented: { amountMinor: amount_total, currency } }),
              email: session.customer_details?.email ?? session.customer_email ?? null,
              name: session.customer_details?.name ?? null,
              paidAt: null,
              reason: null,
            }
          : null,
    }
  })

/** Payment data of a paid invoice, checkout or payment intent. */
export type Paid = z.infer<typeof Invoice>['body'] & {
  /** What the customer was charged, where Stripe converted the price to another currency. Refunds are in that currency. */
  presented?: { amountMinor: number; currency: string }
}

export const Charge = z
  .object({
    id: Id,
    amount: Amount.nullish().catch(null),
    amount_captured: Amount.nullish().catch(null),
    amount_refunded: Amount.nullish(),
    currency: Currency.nullish(),
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
    body: chargeBody(charge),
  }))

interface ChargeAmounts {
  amount?: number | null | undefined
  amount_captured?: number | null | undefined
  amount_refunded?: number | null | undefined
  currency?: string | null | undefined
}

/** `createdAt`: Unix milliseconds, where an import has read it. */
function chargeBody({ amount, amount_captured, amount_refunded, currency }: ChargeAmounts): {
  refundedMinor: number
  currency?: string
  createdAt?: number
} {
  // What is authorized and not captured is released: Stripe counts it as refunded, although it was never paid.
  const released = amount != null && amount_captured != null ? Math.max(0, amount - amount_captured) : 0
  return { refundedMinor: Math.max(0, (amount_refunded ?? 0) - released), ...(currency && { currency }) }
}

/** What refunds and disputes have in common. */
const ofCharge = {
  id: Id,
  amount: Amount,
  currency: Currency.nullish(),
  status: text(50).nullish(),
  charge: reference,
  payment_intent: reference,
}
type OfCharge = z.infer<z.ZodObject<typeof ofCharge>>

const takenBack = ({ charge, payment_intent, amount, currency }: OfCharge) => ({
  chargeId: charge ?? payment_intent!,
  amountMinor: amount,
  ...(currency && { currency }),
})

const namesCharge = [
  ({ charge, payment_intent }: OfCharge) => charge !== null || payment_intent !== null,
  { path: ['charge'], message: 'is required' },
] as const satisfies Parameters<z.ZodType<OfCharge>['refine']>

export const Refund = z
  .object({ ...ofCharge, created: PastSeconds.nullish() })
  .refine(...namesCharge)
  .transform(refund => ({
    id: refund.id,
    saleIds: [refund.charge, refund.payment_intent],
    body: {
      ...takenBack(refund),
      status: refund.status ?? null,
      /** Unix milliseconds; null: the event's time applies. */
      createdAt: refund.created === null || refund.created === undefined ? null : refund.created * 1000,
    },
  }))

/** A dispute that is closed. */
export const Dispute = z
  .object(ofCharge)
  .refine(...namesCharge)
  .transform(dispute => ({
    id: dispute.id,
    saleIds: [dispute.charge, dispute.payment_intent],
    body: {
      ...takenBack(dispute),
      isLost: dispute.status === 'lost',
    },
  }))

const Payer = z.looseObject({
  id: Id,
  billing_details: z.object({ email: words, name: words }).nullish().catch(null),
})
const ChargeOfIntent = z.union([Id.transform(id => ({ id, billing_details: null })), Payer])

/** The invoice of a payment intent, which since 2025 is only its order. */
const OfInvoice = z.object({ order_reference: z.string().startsWith('in_') })

export const PaymentIntent = z
  .object({
    id: Id,
    amount: Amount.nullish(),
    amount_received: Amount.nullish(),
    currency: Currency.nullish(),
    receipt_email: words,
    latest_charge: ChargeOfIntent.nullish(),
    invoice: reference,
    payment_details: OfInvoice.nullish().catch(null),
    charges: z.object({ data: z.array(ChargeOfIntent).max(MOST_CHARGES).nullish() }).nullish(),
    customer: reference,
    metadata: Metadata,
  })
  .transform(intent => {
    const { currency, latest_charge: latest } = intent
    const charges = [...(latest ? [latest] : []), ...(intent.charges?.data ?? [])]
    const invoice = intent.invoice ?? intent.payment_details?.order_reference ?? null
    const amountMinor = intent.amount_received ?? intent.amount ?? 0
    const payer = charges.find(({ billing_details }) => billing_details)?.billing_details
    const paid: Paid | undefined =
      invoice === null && amountMinor > 0 && currency
        ? {
            transactionId: intent.id,
            amountMinor,
            currency,
            email: intent.receipt_email ?? payer?.email ?? null,
            name: payer?.name ?? null,
            paidAt: null,
            reason: null,
          }
        : undefined
    return {
      id: intent.id,
      customerId: intent.customer,
      visitorId: intent.metadata,
      saleIds: [intent.id, invoice, ...charges.map(({ id }) => id)],
      /** Null when an invoice reports the payment. */
      body: paid ?? null,
    }
  })
