import { z } from 'zod'
import { AppError, invalidField } from '../../platform/errors.ts'
import { checkDepth } from '../../platform/lib/json.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import { mend, text, validationError } from '../../platform/schema/validation.ts'
import { discountBefore, type Parts, subscriptionBefore } from './before-update.ts'
import { Coupon, Customer, Discount, Id, type Listed, PastSeconds, type Price } from './objects.ts'
import type { Origin, PaidInvoice, PastLine } from './past-objects.ts'
import {
  Charge,
  Checkout,
  Dispute,
  Invoice,
  InvoicePayment,
  type Paid,
  PaymentIntent,
  Refund,
} from './sale-objects.ts'
import { type Item, Subscription, type SubscriptionState } from './subscription-object.ts'

/** What every event has, also the thin ones of Stripe's API v2. */
const Head = z.object({
  type: text(255),
  /** Account of Stripe Connect that the event is of; absent for one's own. */
  account: z.unknown().optional(),
})

const Envelope = z.object({
  id: Id,
  created: PastSeconds,
  data: z.object({ object: z.looseObject({}), previous_attributes: z.unknown().optional() }),
})

/** Body of a fact, by its kind. */
export interface FactBodies {
  /** `before`: what it was before an update, where the event says it. */
  subscription: SubscriptionState & { before?: Parts }
  /** Answer of a lookup: the subscription whose event `of` omitted items or discounts. */
  items: { of: string; items: Item[]; discounts: Listed[] }
  discount: { change: 'added' | 'changed' | 'removed'; discount: Discount; before?: Parts }
  coupon: Coupon
  /** Answer of a lookup: a price with the tiers that payloads omit. */
  price: Price
  invoice: PaidInvoice
  checkout: Paid | null
  /** A payment intent that names no invoice. */
  intent: Paid
  charge: z.infer<typeof Charge>['body']
  refund: z.infer<typeof Refund>['body']
  dispute: z.infer<typeof Dispute>['body']
  /** Only links ids of one sale, or a customer or subscription to a visitor. */
  link: null
  /** Read by an import: a subscription with the times of its past, and a change of one of its items. */
  origin: Origin
  proration: PastLine
}

export type FactKind = keyof FactBodies

/** Stored data of one object from one event of the processor. */
export interface Fact<Kind extends FactKind = FactKind> {
  eventId: string
  kind: Kind
  /** Time of the event by the processor's clock. */
  at: Date
  objectId: string
  subscriptionId: string | null
  customerId: string | null
  /** Ids under which the processor knows one sale. */
  saleIds: string[]
  visitorId: string | null
  body: FactBodies[Kind]
}

type Read = Pick<Fact, 'kind' | 'objectId' | 'body'> & Partial<Links>

/** Ids that a fact links. */
interface Links {
  subscriptionId: string | null
  customerId: string | null
  saleIds: (string | null | undefined)[]
  visitorId: string | null
}

/** @param previous `previous_attributes` */
type Reader = (object: unknown, type: string, now: Date, previous: unknown) => Read | undefined

const readSubscription: Reader = (object, type, _now, previous) => {
  const { id, state, ...links } = parse(Subscription, object)
  const isOver = type === 'customer.subscription.deleted'
  const before = subscriptionBefore(object, previous)
  const body = { ...state, ...(isOver && { status: 'canceled' }), ...(before && { before }) }
  return { ...links, kind: 'subscription', objectId: id, subscriptionId: id, body }
}

const readDiscount: Reader = (object, type, _now, previous) => {
  const discount = parse(Discount, object)
  if (!discount) return undefined
  const { subscriptionId, customerId } = discount
  if (subscriptionId === null && customerId === null) return undefined
  const change = type.endsWith('.deleted') ? 'removed' : type.endsWith('.updated') ? 'changed' : 'added'
  const objectId = discount.id ?? subscriptionId ?? customerId!
  const before = discountBefore(object, previous)
  const body = { change, discount, ...(before && { before }) } as const
  return { kind: 'discount', objectId, subscriptionId, customerId, body }
}

const readCoupon: Reader = object => {
  const coupon = parse(Coupon, object)
  return { kind: 'coupon', objectId: coupon.id, body: coupon }
}

/** @param claimedTime a field that must not lie in the future, and its Unix milliseconds */
const readAs =
  <Kind extends FactKind>(
    kind: Kind,
    schema: z.ZodType<{ id: string; body: FactBodies[Kind] } & Partial<Links>>,
    claimedTime?: [field: string, timeIn: (body: FactBodies[Kind]) => number | null],
  ): Reader =>
  (object, _type, now) => {
    const { id, ...read } = parse(schema, object)
    if (claimedTime) refuseAhead(claimedTime[0], claimedTime[1](read.body), now)
    return { ...read, kind, objectId: id }
  }

const readInvoice = readAs('invoice', Invoice, ['status_transitions.paid_at', ({ paidAt }) => paidAt])
const readRefund = readAs('refund', Refund, ['created', ({ createdAt }) => createdAt])

const readIntent: Reader = object => {
  const { id, body, ...links } = parse(PaymentIntent, object)
  return body
    ? { ...links, kind: 'intent', objectId: id, body }
    : { ...links, kind: 'link', objectId: id, body }
}

const readCustomer: Reader = object => {
  const { id, customerId, visitorId } = parse(Customer, object)
  return visitorId === null ? undefined : { kind: 'link', objectId: id, customerId, visitorId, body: null }
}

/** The id of a fact that an import has read begins with this; no event does. */
const PAST = 'past/'
export const pastId = (id: string) => `${PAST}${id}`
export const isPast = ({ eventId }: Pick<Fact, 'eventId'>) => eventId.startsWith(PAST)

/** The id of a fact from a file of payments begins with this. */
const FILE = 'file/'
export const fileId = (id: string) => `${FILE}${id}`
export const isOfFile = ({ eventId }: Pick<Fact, 'eventId'>) => eventId.startsWith(FILE)

/** Fields of a fact that links nothing. */
export const UNLINKED = { subscriptionId: null, customerId: null, saleIds: [], visitorId: null }

/** Accepts the processor's clock up to one day ahead. */
const AHEAD_MS = DAY_MS

/** @param at claimed time, Unix milliseconds */
function refuseAhead(field: string, at: number | null, now: Date): void {
  if (at !== null && at > now.getTime() + AHEAD_MS) {
    throw invalidField(field, 'must not be more than a day ahead')
  }
}

/** Event types that the ledger uses, with their readers. */
const READERS: [RegExp, Reader][] = [
  [/^customer\.subscription\.\w+$/, readSubscription],
  [/^customer\.discount\.(created|updated|deleted)$/, readDiscount],
  [/^coupon\.(created|updated)$/, readCoupon],
  [/^invoice\.(paid|payment_succeeded)$/, readInvoice],
  [/^invoice_payment\.paid$/, readAs('link', InvoicePayment)],
  [/^checkout\.session\.(completed|async_payment_succeeded)$/, readAs('checkout', Checkout)],
  [/^charge\.refund\.updated$/, readRefund],
  [/^refund\.(created|updated|failed)$/, readRefund],
  [/^charge\.(succeeded|captured|updated|refunded)$/, readAs('charge', Charge)],
  [/^charge\.dispute\.closed$/, readAs('dispute', Dispute)],
  [/^payment_intent\.succeeded$/, readIntent],
  [/^customer\.(created|updated)$/, readCustomer],
]

/**
 * Reads an event of any Stripe API version.
 * @param signed the signed body
 * @returns undefined for an event that the ledger does not use
 * @throws AppError `malformed_json`; `validation_failed` for a known type whose object cannot be read
 */
export function readEvent(signed: string, now: Date): { type: string; fact: Fact } | undefined {
  const given = parseJson(signed)
  const { type, account } = parse(Head, given)
  const reader = READERS.find(([known]) => known.test(type))?.[1]
  if (!reader || account) return undefined
  const event = parse(Envelope, given)
  const at = new Date(event.created * 1000)
  refuseAhead('created', at.getTime(), now)
  const read = reader(event.data.object, type, now, event.data.previous_attributes)
  if (!read) return undefined
  const saleIds = new Set((read.saleIds ?? []).filter(id => typeof id === 'string'))
  const fact = { ...UNLINKED, ...read, eventId: event.id, at, saleIds: [...saleIds].sort() }
  return { type, fact }
}

function parse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}

function parseJson(signed: string): unknown {
  checkDepth(signed)
  try {
    return JSON.parse(signed, (_key, value) => (typeof value === 'string' ? mend(value) : value))
  } catch {
    throw new AppError('malformed_json', 'The body is not valid JSON')
  }
}
