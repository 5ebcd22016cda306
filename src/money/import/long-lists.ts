import type { Stripe } from 'stripe'
import { withAllItems } from '../processor/fetch-objects.ts'
import type { PhaseName } from './phases.ts'

type Given = { id: string }

/** Most lines of one invoice: beyond it the schema refuses the invoice. */
const MOST_LINES = 1_000

/** Returns the objects of a page with the items and lines that their lists omit. */
export async function withWholeObjects(
  stripe: Stripe,
  phase: PhaseName,
  objects: readonly Given[],
): Promise<readonly object[]> {
  if (phase !== 'subscriptions' && phase !== 'invoices') return objects
  const whole: object[] = []
  for (const object of objects) {
    if (phase === 'subscriptions') whole.push(await withAllItems(stripe, object as Stripe.Subscription))
    else whole.push(await withAllLines(stripe, object as Stripe.Invoice))
  }
  return whole
}

async function withAllLines(stripe: Stripe, invoice: Stripe.Invoice): Promise<object> {
  if (!invoice.lines?.has_more) return invoice
  const data: Stripe.InvoiceLineItem[] = []
  const lines = stripe.invoices.listLineItems(invoice.id, { limit: 100, expand: ['data.discounts'] })
  for await (const line of lines) if (data.push(line) > MOST_LINES) break
  return { ...invoice, lines: { data, has_more: false } }
}
