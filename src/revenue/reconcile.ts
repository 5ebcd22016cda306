import { ZodError } from 'zod'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { type Db, statement } from '../infra/db.ts'
import { validationError } from '../infra/validation.ts'
import { findConnection } from './connection.ts'
import type { AnyFact } from './facts.ts'
import { isCounting } from './ledger.ts'
import { type Life, readLife } from './life.ts'
import { connectStripe, failureOf, type StripeAccess } from './stripe/client.ts'
import { type Described, describe, plain, withAllItems } from './stripe/lookup.ts'
import { Customer } from './stripe/objects.ts'
import { Subscription } from './stripe/subscription.ts'

/** Result of the comparison. Amounts are MRR in minor units. */
export interface Reconciliation {
  /** The site's currency; both sums are in it. */
  currency: string
  ours: number
  processor: number
  /** Subscriptions, in any currency, whose MRR differs. */
  drift: { subscription_id: string; currency: string; ours: number; processor: number }[]
  /** Coupons and prices that the processor refers to but does not have. They count as 0. Absent when there are none. */
  missing?: string[]
  /** Subscriptions whose data is beyond the accepted bounds. They are not in `drift`. Absent when there are none. */
  unreadable?: Unreadable[]
}

interface Unreadable {
  subscription_id: string
  reason: string
}

interface Standing {
  subscriptionId: string
  currency: string
  mrr: number
}

const selectStandings = statement<Standing>('select-standings')

/**
 * Compares the MRR of every subscription in the ledger with the processor's current list of subscriptions. Changes nothing.
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
  const told = await readStandings({ apiKey, stripeApiBase: config.stripeApiBase })
  const { standings: processor, missing, unreadable } = told
  const unread = new Set(unreadable.map(({ subscription_id }) => subscription_id))
  const ours = await selectStandings(db, site.siteNo)
  const sumOf = (standings: Standing[]) =>
    standings.reduce((sum, { currency, mrr }) => (currency === site.currency ? sum + mrr : sum), 0)
  return {
    currency: site.currency,
    ours: sumOf(ours),
    processor: sumOf(processor),
    drift: compare(
      ours.filter(({ subscriptionId }) => !unread.has(subscriptionId)),
      processor,
    ),
    ...(missing.length > 0 && { missing }),
    ...(unreadable.length > 0 && { unreadable: unreadable.sort(bySubscription) }),
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
  return [...rows.values()].filter(row => row.ours !== row.processor).sort(bySubscription)
}

const bySubscription = (a: Pick<Unreadable, 'subscription_id'>, b: Pick<Unreadable, 'subscription_id'>) =>
  a.subscription_id < b.subscription_id ? -1 : 1

interface Told {
  standings: Standing[]
  missing: string[]
  unreadable: Unreadable[]
}

async function readStandings(access: StripeAccess): Promise<Told> {
  try {
    return await list(access)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('unavailable', `The processor cannot be asked: ${failureOf(error)}`, { cause: error })
  }
}

/** Tiers and the coupons of customers are too deep for `expand` in a list, so they are requested one by one. */
async function list(access: StripeAccess): Promise<Told> {
  const stripe = connectStripe(access)
  const told: { id: string; facts: AnyFact[] }[] = []
  const unreadable: Unreadable[] = []
  const attempt = <Result>(subscription_id: string, read: () => Result): Result | undefined => {
    try {
      return read()
    } catch (error) {
      unreadable.push({ subscription_id, reason: reasonOf(error) })
      return undefined
    }
  }
  const subscriptions = stripe.subscriptions.list({
    limit: 100,
    expand: ['data.customer', 'data.discounts.source.coupon', 'data.items.data.discounts'],
  })
  const undescribed: Life['undescribed'][] = []
  for await (const given of subscriptions) {
    const whole = await withAllItems(stripe, given)
    attempt(given.id, () => {
      const facts = factsOf(whole)
      undescribed.push(readLife(facts, [], []).undescribed)
      told.push({ id: given.id, facts })
    })
  }
  const described = await describe(access, {
    couponIds: [...new Set(undescribed.flatMap(({ couponIds }) => couponIds))],
    priceIds: [...new Set(undescribed.flatMap(({ priceIds }) => priceIds))],
    cut: [],
  })
  if (described.failed.length > described.unreadable.length) {
    throw new AppError('unavailable', `The processor cannot be asked: ${described.failure}`)
  }
  const standings = told.flatMap(({ id, facts }) => attempt(id, () => standingOf(id, facts, described)) ?? [])
  return { standings, missing: described.missing, unreadable }
}

function standingOf(id: string, facts: readonly AnyFact[], described: Described): Standing[] {
  const { states, undescribed } = readLife(facts, [], described.facts as AnyFact[])
  const lacking = [...undescribed.couponIds, ...undescribed.priceIds]
  const beyond = lacking.find(each => described.unreadable.includes(each))
  if (beyond !== undefined) throw new RangeError(`${beyond} cannot be read`)
  const { status, currency, mrr } = states.at(-1)!
  return isCounting(status) ? [{ subscriptionId: id, currency, mrr }] : []
}

/** @throws the given error, unless it reports a value beyond a bound */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) return validationError(error).message
  if (error instanceof RangeError) return error.message
  throw error
}

function factsOf(given: unknown): AnyFact[] {
  const raw = plain(given) as { customer?: unknown }
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
  return facts
}
