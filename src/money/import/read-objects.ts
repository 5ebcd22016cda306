import { z } from 'zod'
import { type Fact, pastId, readEvent, UNLINKED } from '../processor/event.ts'
import { lookedUpId } from '../processor/fetch-objects.ts'
import { Coupon, Customer, Price, Seconds } from '../processor/objects.ts'
import { readOrigin, readPastInvoice, readPastItem } from '../processor/past-objects.ts'
import { Charge, Checkout } from '../processor/sale-objects.ts'
import { countPayment, type ImportCounts } from './counts.ts'
import type { ReadFact } from './store-facts.ts'

// One function for each kind of object of the API: its facts, which an event would give too. Their times are Unix milliseconds.

type Read = (object: unknown, at: number, counts: ImportCounts, from: Date | null) => ReadFact[]

const Created = z.object({ created: Seconds })
const createdOf = (object: unknown) => Created.parse(object).created * 1000

const fact = <Kind extends Fact['kind']>(
  id: string,
  at: number,
  given: Pick<Fact<Kind>, 'kind' | 'body'> & Partial<Fact<Kind>>,
): ReadFact => ({ ...UNLINKED, eventId: pastId(id), objectId: id, at: new Date(at), ...given })

const idsIn = (ids: readonly (string | null | undefined)[]) =>
  [...new Set(ids.filter(id => typeof id === 'string'))].sort()

const WithDiscountStart = z.object({ discount: z.looseObject({ start: Seconds.nullish() }).nullish() })

export const customer: Read = (object, _at, { read }) => {
  const { id, customerId, visitorId, discount } = Customer.parse(object)
  read.customers += 1
  const createdAt = createdOf(object)
  const facts: ReadFact[] = []
  if (visitorId !== null) facts.push(fact(id, createdAt, { kind: 'link', customerId, visitorId, body: null }))
  if (discount) {
    const start = WithDiscountStart.safeParse(object).data?.discount?.start
    facts.push(
      fact(id, start == null ? createdAt : start * 1000, {
        kind: 'discount',
        objectId: discount.id ?? id,
        customerId,
        body: { change: 'added', discount },
      }),
    )
  }
  return facts
}

export const coupon: Read = (object, _at, { read }) => {
  const body = Coupon.parse(object)
  read.coupons += 1
  // Both fields were requested with `expand`: if one is absent, the coupon does not have it.
  const whole = { ...body, hasAllCurrencies: true, products: body.products ?? null }
  return [fact(body.id, 0, { kind: 'coupon', eventId: lookedUpId(body.id), body: whole })]
}

export const price: Read = (object, _at, { read }) => {
  const body = Price.parse(object)
  read.prices += 1
  const options = Object.entries(body.options ?? {})
  // Tiers in further currencies are only given for a single price: a lookup asks for them when a subscription needs them.
  if (body.isTiered && options.length > 1) return []
  const given = options.map(([currency, { unitAmount }]) => [
    currency,
    { unitAmount, tiers: body.tiers ?? [] },
  ])
  const whole = { ...body, tiers: body.tiers ?? [], options: Object.fromEntries(given) }
  return [fact(body.id, 0, { kind: 'price', eventId: lookedUpId(body.id), body: whole })]
}

export const event: Read = (object, at, { read }) => {
  const found = readEvent(JSON.stringify(object), new Date(at))
  read.events += 1
  return found ? [{ ...found.fact, eventType: found.type }] : []
}

export const subscription: Read = (object, at, { read }, from) => {
  const { id, customerId, visitorId, body } = readOrigin(object)
  if (from !== null && body.endedAt !== null && body.endedAt < from.getTime()) return []
  read.subscriptions += 1
  const links = { subscriptionId: id, customerId }
  const origin = fact(id, at, { kind: 'origin', ...links, body })
  if (visitorId === null) return [origin]
  return [origin, fact(id, body.createdAt, { kind: 'link', ...links, visitorId, body: null })]
}

const Outcome = z.object({ status: z.string().nullish() })

export const charge: Read = (object, at, { read }) => {
  if (Outcome.parse(object).status !== 'succeeded') return []
  const { id, customerId, visitorId, saleIds, body } = Charge.parse(object)
  read.charges += 1
  if (body.refundedMinor > 0) read.refunded += 1
  const createdAt = createdOf(object)
  const links = { customerId, saleIds: idsIn(saleIds) }
  const facts = [fact(id, at, { kind: 'charge', ...links, body: { ...body, createdAt } })]
  if (visitorId !== null) facts.push(fact(id, createdAt, { kind: 'link', ...links, visitorId, body: null }))
  return facts
}

export const proration: Read = (object, _at, { read }) => {
  const item = readPastItem(object)
  if (!item) return []
  read.prorations += 1
  const { id, line, ...links } = item
  return [fact(id, line.at, { kind: 'proration', ...links, body: line })]
}

export const invoice: Read = (object, _at, counts) => {
  const { id, status, saleIds, body, ...links } = readPastInvoice(object)
  if (status === 'draft') return []
  counts.read.invoices += 1
  const at = body.paidAt ?? body.past!.createdAt
  if (body.amountMinor > 0) countPayment(counts, body, at)
  return [fact(id, at, { kind: 'invoice', ...links, saleIds: idsIn(saleIds), body })]
}

export const checkout: Read = (object, _at, counts) => {
  const { id, saleIds, body, ...links } = Checkout.parse(object)
  counts.read.checkouts += 1
  const at = createdOf(object)
  if (body) countPayment(counts, body, at)
  return [fact(id, at, { kind: 'checkout', ...links, saleIds: idsIn(saleIds), body })]
}
