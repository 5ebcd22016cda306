import { z } from 'zod'
import { text } from '../../platform/schema/validation.ts'
import { Amount, Discount, Id, list, reference, Seconds } from './objects.ts'
import { Invoice, type Paid } from './sale-objects.ts'
import { Subscription, type SubscriptionState } from './subscription-object.ts'

// What Stripe's API says of the past: lines of invoices, invoice items, and the times of a subscription. The import asks for them in
// one API version, that of the package.

/** A discount that an invoice had, with the time in which it applied. Unix milliseconds. */
export interface PastDiscount {
  discount: Discount
  startAt: number | null
  endAt: number | null
}

/** What an invoice line says of an item of a subscription. */
export interface PastLine {
  itemId: string
  priceId: string
  quantity: number
  /** The item is like this from then on; for a credit, until then. Unix milliseconds. */
  at: number
  isProration: boolean
  isCredit: boolean
  discounts: Discount[]
}

/** What an invoice says of its subscription's past. */
export interface PastInvoice {
  createdAt: number
  isPaid: boolean
  isDue: boolean
  lines: PastLine[]
  discounts: PastDiscount[]
}

/** A paid invoice or checkout; `past` where the import read it. */
export type PaidInvoice = Paid & { past?: PastInvoice }

/** A subscription as the API shows it now, with the times of its past in Unix milliseconds. */
export interface Origin {
  state: SubscriptionState
  createdAt: number
  trialStartAt: number | null
  trialEndAt: number | null
  /** When its cancellation was requested. */
  canceledAt: number | null
  endedAt: number | null
  /** Stripe charges it by itself: until the first payment it is incomplete. */
  isCharged: boolean
  discounts: PastDiscount[]
}

const MOST_LINES = 1_000
const ms = (seconds: number | null | undefined) => (seconds == null ? null : seconds * 1000)

const GivenDiscount = z
  .looseObject({ start: Seconds.nullish(), end: Seconds.nullish() })
  .transform((given, context): PastDiscount => {
    const parsed = Discount.safeParse(given)
    if (parsed.data) return { discount: parsed.data, startAt: ms(given.start), endAt: ms(given.end) }
    context.addIssue({ code: 'custom', message: 'is no discount of a subscription or a customer' })
    return z.NEVER
  })

/** Discounts that are given whole; one that is only named cannot be used. */
const PastDiscounts = z
  .array(z.unknown())
  .nullish()
  .transform(given => (given ?? []).flatMap(each => GivenDiscount.safeParse(each).data ?? []))

const Pricing = z.object({ price_details: z.object({ price: reference }).nullish() }).nullish()
const Credited = z.object({ credited_items: z.unknown().optional() }).nullish()
const Period = z.object({ start: Seconds })

const SubscriptionLine = z.object({
  subscription_item: Id.nullish(),
  invoice_item: Id.nullish(),
  proration: z.boolean().nullish(),
  proration_details: Credited,
})

const Line = z.object({
  amount: Amount,
  quantity: z.int().nullish(),
  period: Period,
  pricing: Pricing,
  discounts: PastDiscounts,
  parent: z.object({ subscription_item_details: SubscriptionLine.nullish() }).nullish(),
})

const isCreditOf = (amount: number, details: z.infer<typeof Credited>) =>
  amount < 0 || details?.credited_items != null

/** Lines that an invoice item made are left out: the item itself has the time of the change. */
function lineOf({ amount, quantity, period, pricing, discounts, parent }: z.infer<typeof Line>): PastLine[] {
  const details = parent?.subscription_item_details
  const priceId = pricing?.price_details?.price
  if (!details?.subscription_item || !priceId || details.invoice_item) return []
  const isProration = details.proration === true
  return [
    {
      itemId: details.subscription_item,
      priceId,
      quantity: quantity ?? 1,
      at: period.start * 1000,
      isProration,
      isCredit: isProration && isCreditOf(amount, details.proration_details),
      discounts: discounts.map(({ discount }) => discount),
    },
  ]
}

const PastFields = z.object({
  id: Id,
  created: Seconds,
  status: text(50).nullish(),
  amount_due: Amount.nullish(),
  lines: z.object({ data: list(Line, MOST_LINES).nullish() }).nullish(),
  discounts: PastDiscounts,
})

/** @returns the links and the body of an invoice's fact; the paid amount is 0 until it is paid */
export function readPastInvoice(given: unknown) {
  const { body, ...links } = Invoice.parse(given)
  const past = PastFields.parse(given)
  const isPaid = past.status === 'paid'
  const said: PastInvoice = {
    createdAt: past.created * 1000,
    isPaid,
    isDue: (past.amount_due ?? 0) > 0,
    lines: links.subscriptionId === null ? [] : (past.lines?.data ?? []).flatMap(lineOf),
    discounts: links.subscriptionId === null ? [] : past.discounts,
  }
  const paid: PaidInvoice = { ...body, amountMinor: isPaid ? body.amountMinor : 0, past: said }
  return { ...links, status: past.status ?? null, body: paid }
}

const PastItem = z.object({
  id: Id,
  date: Seconds,
  amount: Amount,
  quantity: z.int().nullish(),
  proration: z.boolean().nullish(),
  proration_details: Credited,
  pricing: Pricing,
  customer: reference,
  parent: z
    .object({
      subscription_details: z.object({ subscription: Id, subscription_item: Id.nullish() }).nullish(),
    })
    .nullish(),
})

/** @returns undefined for an invoice item that is no proration of a subscription's item */
export function readPastItem(given: unknown) {
  const item = PastItem.parse(given)
  const of = item.parent?.subscription_details
  const priceId = item.pricing?.price_details?.price
  if (!item.proration || !of?.subscription_item || !priceId) return undefined
  const line: PastLine = {
    itemId: of.subscription_item,
    priceId,
    quantity: item.quantity ?? 1,
    at: item.date * 1000,
    isProration: true,
    isCredit: isCreditOf(item.amount, item.proration_details),
    discounts: [],
  }
  return { id: item.id, subscriptionId: of.subscription, customerId: item.customer, line }
}

const Times = z.object({
  created: Seconds,
  trial_start: Seconds.nullish(),
  trial_end: Seconds.nullish(),
  canceled_at: Seconds.nullish(),
  ended_at: Seconds.nullish(),
  collection_method: text(50).nullish(),
  discounts: PastDiscounts,
})

/** Reads a subscription of the API with its times. */
export function readOrigin(given: unknown) {
  const { id, customerId, visitorId, state } = Subscription.parse(given)
  const times = Times.parse(given)
  const body: Origin = {
    state,
    createdAt: times.created * 1000,
    trialStartAt: ms(times.trial_start),
    trialEndAt: ms(times.trial_end),
    canceledAt: ms(times.canceled_at),
    endedAt: ms(times.ended_at),
    isCharged: times.collection_method !== 'send_invoice',
    discounts: times.discounts,
  }
  return { id, customerId, visitorId, body }
}
