import { Stripe } from 'stripe'
import { type Answer, type Api, type Member, startApi } from './api.ts'
import { LATE_REDIS } from './late-redis.ts'
import { ofFile } from './of-file.ts'
import SHAPES from './stripe-shapes.json' with { type: 'json' }

// Objects and events in the shapes that Stripe publishes, and the way in which Stripe delivers them.

export const SECRET = 'whsec_0123456789abcdef0123456789abcdef'

// biome-ignore lint/suspicious/noExplicitAny: payloads are as wide as Stripe's documentation
export type Json = Record<string, any>

export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  /** Unix seconds. */
  created: number
  data: { object: Json; previous_attributes?: Json }
  [field: string]: unknown
}

let count = 0
const next = (prefix: string) => `${prefix}_1Pz${String(++count).padStart(6, '0')}KQzsGu`

/** Returns noon of a day of 2026, Unix seconds. */
export const onDay = (day: number, second = 0) => Date.UTC(2026, 0, day, 12) / 1000 + second

export function event(type: string, object: Json, created: number, id = next('evt')): StripeEvent {
  return {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    data: { object },
    livemode: true,
    type,
  }
}

/** Returns an object with a new id and the fields that Stripe gives it, in the newest API version unless said. */
const shape = (name: keyof typeof SHAPES, idPrefix: string, fields: Json): Json => ({
  ...{ id: next(idPrefix), ...structuredClone(SHAPES[name]) },
  ...fields,
})

export function price(amount: number, { recurring, ...rest }: Json = {}): Json {
  const period = { ...SHAPES.price.recurring, ...recurring }
  const amounts = { unit_amount: amount, unit_amount_decimal: String(amount) }
  return shape('price', 'price', { recurring: period, ...amounts, ...rest })
}

export const item = (itemPrice: Json, options: Json = {}): Json =>
  shape('subscription_item', 'si', { created: onDay(1), price: itemPrice, ...options })

/** Shape of API versions from 2025-03 on: periods are on the items, and `discounts` are ids. */
export function subscription({ items = [item(price(1000))], ...rest }: Json & { items?: Json[] } = {}): Json {
  const list = { object: 'list', data: items, has_more: false, url: '/v1/subscription_items' }
  const times = { created: onDay(1), start_date: onDay(1) }
  return shape('subscription', 'sub', { customer: next('cus'), items: list, ...times, ...rest })
}

export const coupon = (options: Json): Json => shape('coupon', 'co', options)

/** Shape of API versions from 2025-09 on: the coupon is in `source`. */
export const discount = (ofCoupon: Json | string, options: Json = {}): Json =>
  shape('discount', 'di', { source: { coupon: ofCoupon, type: 'coupon' }, start: onDay(1), ...options })

/** Shape of API versions from 2025-03 on: the subscription is in `parent`, and no charge or payment intent is named. */
export function invoice(options: Json & { subscription?: string; paidAt?: number } = {}): Json {
  const { subscription: of, paidAt = onDay(1), ...rest } = options
  const parent = { type: 'subscription_details', subscription_details: { metadata: {}, subscription: of } }
  return shape('invoice', 'in', {
    ...{ created: paidAt, customer: next('cus'), parent: of ? parent : null },
    ...{ billing_reason: of ? 'subscription_create' : 'manual' },
    status_transitions: { finalized_at: paidAt, paid_at: paidAt },
    ...rest,
  })
}

export function invoicePayment(ofInvoice: string, paymentIntent: string): Json {
  const payment = { payment_intent: paymentIntent, type: 'payment_intent' }
  return shape('invoice_payment', 'inpay', { created: onDay(1), invoice: ofInvoice, payment })
}

export const checkout = (options: Json = {}): Json =>
  shape('checkout.session', 'cs_live', { created: onDay(1), payment_intent: next('pi'), ...options })

export const charge = (options: Json = {}): Json =>
  shape('charge', 'ch', { created: onDay(1), payment_intent: next('pi'), ...options })

export const refund = (options: Json = {}): Json =>
  shape('refund', 're', { charge: next('ch'), created: onDay(2), ...options })

/** The events of a subscription with the changes of these days: `[day, changed fields, type of the event]`. */
export const life = (base: Json, steps: [day: number, change: Json, type?: string][]): StripeEvent[] =>
  steps.map(([day, change, type = 'updated'], index) =>
    event(`customer.subscription.${index === 0 ? 'created' : type}`, { ...base, ...change }, onDay(day)),
  )

/** Starts the API before the tests of a file, and closes it after them. */
export const apiOfFile = (...options: Parameters<typeof startApi>): Api => ofFile(() => startApi(...options))

export interface Shop {
  api: Api
  siteId: string
  siteNo: number
  member: Member
}

/** A site with a connected processor. */
export async function openShop(api: Api, options: { apiKey?: string } = {}): Promise<Shop> {
  const member = await api.member()
  const { id: siteId, siteNo } = await api.site(member)
  await connect(api, member, siteId, options.apiKey)
  return { api, siteId, siteNo, member }
}

/** Connects the processor to a site; replaces an existing connection. */
export async function connect(api: Api, { token }: Member, siteId: string, apiKey?: string): Promise<void> {
  const body = { provider: 'stripe', webhook_secret: SECRET, ...(apiKey && { api_key: apiKey }) }
  const answer = await api.call('PUT', `/api/sites/${siteId}/processor`, { token, body })
  if (answer.status !== 200) throw new Error(`the processor was not connected: ${answer.status}`)
}

export interface DeliveryOptions {
  secret?: string
  /** Unix seconds; now unless given. */
  signedAt?: number
  header?: string | null
  address?: string
}

/** Calls the webhook with Stripe's signature. */
export function deliver(
  { api, siteId }: Pick<Shop, 'api' | 'siteId'>,
  payload: StripeEvent | string,
  options: DeliveryOptions = {},
): Promise<Answer> {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2)
  const header = options.header === undefined ? sign(text, options) : options.header
  return api.call('POST', `/api/processor/webhook/${siteId}`, {
    body: text,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(header !== null && { 'Stripe-Signature': header }),
      ...(options.address !== undefined && { 'X-Forwarded-For': options.address }),
    },
  })
}

export function sign(payload: string, options: Pick<DeliveryOptions, 'secret' | 'signedAt'> = {}): string {
  return Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: options.secret ?? SECRET,
    ...(options.signedAt !== undefined && { timestamp: options.signedAt }),
  })
}

const MOST_DELIVERIES = 5

/** Delivers events one after the other and expects 200 for each. As Stripe does, it delivers again what got a 503. */
export async function deliverAll(shop: Shop, events: StripeEvent[]): Promise<void> {
  for (const each of events) {
    let answer = await deliver(shop, each)
    for (let again = 1; again < MOST_DELIVERIES && answer.body?.message === LATE_REDIS; again++) {
      answer = await deliver(shop, each)
    }
    if (answer.status !== 200)
      throw new Error(`${each.type}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

/** Makes a webhook of the site that is told of everything, whenever it happened. */
export async function addReceiver(
  { api, siteId, siteNo, member }: Shop,
  kinds: readonly string[],
): Promise<void> {
  const body = { name: 'Receiver', url: 'https://example.com/hook', kinds }
  await api.call('POST', `/api/sites/${siteId}/webhooks`, { ...member, body })
  await api.services.db`update webhook_endpoints set active_since = '2020-01-01' where site_no = ${siteNo}`
}

/** Returns the net movements of the ledger, `2026-01-05 start USD` to minor units, without those of 0. */
export async function netMovements({ api, siteNo }: Shop): Promise<Record<string, number>> {
  const rows = await api.services.db<{ key: string; sum: number }[]>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') || ' ' || kind || ' ' || currency as key,
      sum(amount_minor)::bigint as sum
    from mrr_movements
    where site_no = ${siteNo}
    group by 1
    having sum(amount_minor) <> 0
    order by 1`
  return Object.fromEntries(rows.map(({ key, sum }) => [key, sum]))
}

/** Returns the service events: `2026-01-05 subscription_started`. */
export async function serviceEvents({ api, siteNo }: Shop): Promise<string[]> {
  const rows = await api.services.db<{ event: string }[]>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') || ' ' || name as event
    from events
    where site_no = ${siteNo} and is_service
    order by 1`
  return rows.map(row => row.event)
}

/** Returns a graduated price: `bare` as payloads contain it, `tiers` with the tiers that only a lookup returns. */
export function tieredPrice() {
  const amounts = { unit_amount: null, unit_amount_decimal: null }
  const bare = price(0, { ...amounts, billing_scheme: 'tiered', tiers_mode: 'graduated' })
  const steps = [
    { up_to: 2, unit_amount: 500, flat_amount: null },
    { up_to: null, unit_amount: 500, flat_amount: null },
  ]
  return { bare, tiers: { ...bare, tiers: steps } }
}
