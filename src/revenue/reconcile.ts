import type { Stripe } from 'stripe'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { type Db, statement } from '../infra/db.ts'
import { findConnection } from './connection.ts'
import type { AnyFact } from './facts.ts'
import { isCounting } from './ledger.ts'
import { readLife } from './life.ts'
import { connectStripe, failureOf, type StripeAccess } from './stripe/client.ts'
import { describe, plain } from './stripe/lookup.ts'
import { Customer, Subscription } from './stripe/objects.ts'

/** Amounts are MRR in minor units. */
export interface Reconciliation {
  /** The site's, in which the two sums are. */
  currency: string
  ours: number
  processor: number
  /** Subscriptions of any currency about which the two do not agree. */
  drift: { subscription_id: string; currency: string; ours: number; processor: number }[]
  /** Coupons and prices that the processor names but does not have: they count as nothing. Absent when there are none. */
  missing?: string[]
}

interface Standing {
  subscriptionId: string
  currency: string
  mrr: number
}

const selectStandings = statement<Standing>('select-standings')

/**
 * Compares the MRR of every subscription by the ledger with what the processor's list says of it now. Changes nothing.
 * @throws AppError `not_found` without a connected processor, `bad_request` without an API key, `unavailable` when the
 * processor refuses or cannot be reached
 */
export async function reconcile(
  { db, config }: { db: Db; config: Pick<Config, 'secretKey' | 'stripeApiBase'> },
  siteId: string,
): Promise<Reconciliation> {
  const connection = await findConnection(db, siteId, config.secretKey)
  if (!connection) throw new AppError('not_found', 'No payment processor is connected to this site')
  const { site, apiKey } = connection
  if (!apiKey) {
    throw new AppError('bad_request', 'The connection has no API key: connect the processor again with one')
  }
  const { standings: processor, missing } = await readStandings({
    apiKey,
    stripeApiBase: config.stripeApiBase,
  })
  const ours = await selectStandings(db, site.siteNo)
  const sumOf = (standings: Standing[]) =>
    standings.reduce((sum, { currency, mrr }) => (currency === site.currency ? sum + mrr : sum), 0)
  return {
    currency: site.currency,
    ours: sumOf(ours),
    processor: sumOf(processor),
    drift: compare(ours, processor),
    ...(missing.length > 0 && { missing }),
  }
}

function compare(ours: Standing[], processor: Standing[]): Reconciliation['drift'] {
  const rows = new Map<string, Reconciliation['drift'][number]>()
  const note = (side: 'ours' | 'processor', { subscriptionId, currency, mrr }: Standing) => {
    const key = `${subscriptionId}/${currency}`
    const row = rows.get(key) ?? { subscription_id: subscriptionId, currency, ours: 0, processor: 0 }
    row[side] += mrr
    rows.set(key, row)
  }
  for (const standing of ours) note('ours', standing)
  for (const standing of processor) note('processor', standing)
  return [...rows.values()]
    .filter(row => row.ours !== row.processor)
    .sort((a, b) => (a.subscription_id < b.subscription_id ? -1 : 1))
}

interface Told {
  standings: Standing[]
  missing: string[]
}

async function readStandings(access: StripeAccess): Promise<Told> {
  try {
    return await list(access)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('unavailable', `The processor cannot be asked: ${failureOf(error)}`, { cause: error })
  }
}

/** Tiers lie deeper than a list can be expanded, and so do coupons of customers: these are asked for one by one. */
async function list(access: StripeAccess): Promise<Told> {
  const stripe = connectStripe(access)
  const told: { id: string; facts: AnyFact[] }[] = []
  const subscriptions = stripe.subscriptions.list({
    limit: 100,
    expand: ['data.customer', 'data.discounts.source.coupon', 'data.items.data.discounts'],
  })
  for await (const subscription of subscriptions) told.push(await factsOf(stripe, subscription))
  const undescribed = told.map(({ facts }) => readLife(facts, [], []).undescribed)
  const {
    facts: described,
    missing,
    failure,
  } = await describe(access, {
    couponIds: [...new Set(undescribed.flatMap(({ couponIds }) => couponIds))],
    priceIds: [...new Set(undescribed.flatMap(({ priceIds }) => priceIds))],
  })
  if (failure !== undefined) throw new AppError('unavailable', `The processor cannot be asked: ${failure}`)
  const standings = told.flatMap(({ id, facts }) => {
    const { status, currency, mrr } = readLife(facts, [], described as AnyFact[]).states.at(-1)!
    return isCounting(status) ? [{ subscriptionId: id, currency, mrr }] : []
  })
  return { standings, missing }
}

async function factsOf(
  stripe: Stripe,
  given: Stripe.Subscription,
): Promise<{ id: string; facts: AnyFact[] }> {
  const whole = given.items.has_more ? await withAllItems(stripe, given) : given
  const raw = plain(whole) as { customer?: unknown }
  const { id, state, customerId } = Subscription.parse(raw)
  const common = {
    eventId: 'list',
    at: new Date(0),
    objectId: id,
    customerId,
    saleIds: [],
    visitorId: null,
  }
  const facts: AnyFact[] = [{ ...common, kind: 'subscription', subscriptionId: id, body: state }]
  const discount = Customer.safeParse(raw.customer).data?.discount
  if (discount) {
    facts.push({ ...common, kind: 'discount', subscriptionId: null, body: { change: 'added', discount } })
  }
  return { id, facts }
}

async function withAllItems(stripe: Stripe, given: Stripe.Subscription): Promise<object> {
  const data: Stripe.SubscriptionItem[] = []
  const items = stripe.subscriptionItems.list({
    subscription: given.id,
    limit: 100,
    expand: ['data.discounts'],
  })
  for await (const item of items) data.push(item)
  return { ...given, items: { data, has_more: false } }
}
