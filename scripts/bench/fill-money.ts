import { createHmac, randomBytes } from 'node:crypto'
import type { AnySite } from '../../src/access/sites/find-site.ts'
import { query } from '../../src/platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import { showProgress } from '../progress.ts'
import { createRandom, type Random } from '../random.ts'
import type { BenchService } from './service.ts'

/** Sessions of a site that pay: `count` of them, spread over all its sessions. */
const samplePayingSessions = query<{ siteNo: number; count: number }, Paying>(
  'sample-paying-sessions',
  `select visitors.id as "visitorId", picked.at
  from (
    select visitor_no, min(started_at) as at
    from sessions
    where site_no = :siteNo
    group by visitor_no
    -- A hash puts them in an order that has nothing to do with their time.
    order by hashint4(visitor_no)
    limit :count::int
  ) as picked
  join visitors using (visitor_no)
  order by picked.at`,
)

interface Paying {
  visitorId: string
  /** Start of the visitor's first session. */
  at: Date
}

/** Requests that are under way at the same time. */
const AT_ONCE = 8
/** Monthly prices of subscriptions, minor units. */
const PRICES = [900, 1_900, 4_900, 9_900]

/**
 * Records payments through the API, and subscriptions through signed calls of the processor's webhook, whose customers are visitors of the
 * site. A fifth of the subscriptions change their price after a month, another fifth end.
 */
export async function fillMoney(
  service: BenchService,
  { siteId, siteNo }: AnySite,
  {
    payments,
    subscriptions,
    seed,
    until,
  }: { payments: number; subscriptions: number; seed: number; until: number },
): Promise<void> {
  if (payments + subscriptions === 0) return
  const random = createRandom(seed)
  const site = `/api/sites/${siteId}`
  const secret = `whsec_${randomBytes(24).toString('hex')}`
  await service.api('PUT', `${site}/processor`, { provider: 'stripe', webhook_secret: secret })
  const paying = await samplePayingSessions(service.db, { siteNo, count: payments })
  const payment = ({ visitorId, at }: Paying, index: number) =>
    service.api('POST', `${site}/payments`, {
      transaction_id: `bench-${index}`,
      amount: 500 + random.below(20_000),
      currency: 'USD',
      visitor_id: visitorId,
      customer_id: `cus_bench_${index}`,
      timestamp: new Date(Math.min(at.getTime() + 5 * MINUTE_MS, until - 1)).toISOString(),
    })
  const subscription = async (of: Paying, index: number) => {
    for (const event of subscriptionEvents(of, index, random, until))
      await deliver(service, siteId, secret, event)
  }
  const progress = showProgress('filling money')
  await inTurns(paying, payment, share => progress.part(share / 2, 'payments'))
  const subscribing = paying.slice(0, subscriptions)
  await inTurns(subscribing, subscription, share => progress.part((1 + share) / 2, 'subscriptions'))
  progress.end()
}

/** Runs a task for each item, some at the same time. */
async function inTurns<Item>(
  items: Item[],
  run: (item: Item, index: number) => Promise<unknown>,
  onProgress: (share: number) => void,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      await run(items[index]!, index)
      onProgress(next / items.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

interface StripeEvent {
  id: string
  type: string
  /** Unix seconds. */
  created: number
  data: { object: object }
}

/** Returns what the processor says of a subscription: that it has started, and of some that they have changed or ended. */
export function subscriptionEvents(
  { visitorId, at }: Paying,
  index: number,
  random: Random,
  until: number,
): StripeEvent[] {
  const startedAt = Math.floor(at.getTime() / 1_000) + 600
  const later = startedAt + (30 * DAY_MS) / 1_000
  const isOver = later * 1_000 >= until
  const object = (cents: number, status = 'active') => ({
    id: `sub_bench_${index}`,
    object: 'subscription',
    customer: `cus_bench_${index}`,
    created: startedAt,
    start_date: startedAt,
    currency: 'usd',
    status,
    discounts: [],
    metadata: { visitor_id: visitorId },
    ...(status === 'canceled' && { ended_at: later, canceled_at: later }),
    items: {
      object: 'list',
      has_more: false,
      data: [{ id: `si_bench_${index}`, quantity: 1, discounts: [], price: priceOf(cents) }],
    },
  })
  const event = (number: number, type: string, created: number, data: object) => ({
    id: `evt_bench_${index}_${number}`,
    object: 'event',
    type: `customer.subscription.${type}`,
    created,
    data: { object: data },
  })
  const cents = random.pick(PRICES)
  const started = event(1, 'created', startedAt, object(cents))
  const draw = random.next()
  if (isOver || draw > 0.4) return [started]
  if (draw > 0.2) return [started, event(2, 'updated', later, object(random.pick(PRICES)))]
  return [started, event(2, 'deleted', later, object(cents, 'canceled'))]
}

const priceOf = (cents: number) => ({
  id: `price_bench_${cents}`,
  object: 'price',
  billing_scheme: 'per_unit',
  currency: 'usd',
  product: `prod_bench_${cents}`,
  recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
  unit_amount: cents,
  unit_amount_decimal: String(cents),
})

/** Sends an event as Stripe does. @throws Error for any answer except a success */
export async function deliver(
  { url }: BenchService,
  siteId: string,
  secret: string,
  event: StripeEvent,
): Promise<void> {
  const body = JSON.stringify(event)
  const sentAt = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', secret).update(`${sentAt}.${body}`).digest('hex')
  const answer = await fetch(`${url}/api/processor/webhook/${siteId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${sentAt},v1=${signature}` },
    body,
  })
  if (!answer.ok) throw new Error(`the webhook answers ${answer.status}: ${await answer.text()}`)
}
