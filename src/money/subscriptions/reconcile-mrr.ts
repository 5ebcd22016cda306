import { ZodError } from 'zod'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { validationError } from '../../platform/schema/validation.ts'
import { findConnection } from '../processor/connection.ts'
import { UNLINKED } from '../processor/event.ts'
import type { AnyFact } from '../processor/facts.ts'
import {
  type FetchedObjects,
  fetchObjects,
  type Lookup,
  plain,
  withAllItems,
} from '../processor/fetch-objects.ts'
import { Customer } from '../processor/objects.ts'
import { connectStripe, failureOf, type StripeAccess } from '../processor/stripe.ts'
import { Subscription } from '../processor/subscription-object.ts'
import { deriveHistory } from './history.ts'
import { isCounting } from './movements.ts'

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

/** Returns the MRR of each subscription by the ledger; subscriptions at 0 are absent. */
const selectStandings = query<{ siteNo: number }, Standing>(
  'select-standings',
  `select subscription_id as "subscriptionId", currency, sum(amount_minor)::bigint as mrr
  from mrr_movements
  where site_no = :siteNo
  group by subscription_id, currency
  having sum(amount_minor) <> 0`,
)

/**
 * Compares the MRR of every subscription in the ledger with the processor's current list of subscriptions. Changes nothing.
 * @throws AppError `not_found` without a connected processor, `bad_request` without an API key, `unavailable` when the
 * processor refuses or cannot be reached
 */
export async function reconcileMrr(
  { db, config }: { db: Db; config: Pick<Config, 'secretKey' | 'stripeApiBase'> },
  siteId: string,
): Promise<Reconciliation> {
  const connection = await findConnection(db, siteId, config.secretKey)
  if (!connection) throw new AppError('not_found', 'No payment processor is connected to this site')
  const { site, apiKey } = connection
  if (!apiKey) {
    throw new AppError('bad_request', 'The connection has no API key: connect the processor again with one')
  }
  const access = { apiKey, stripeApiBase: config.stripeApiBase }
  const {
    standings: processor,
    missing,
    unreadable,
  } = await readStandings(access).catch(error => {
    if (error instanceof AppError) throw error
    throw new AppError('unavailable', `The processor cannot be asked: ${failureOf(error)}`, { cause: error })
  })
  const unread = new Set(unreadable.map(({ subscription_id }) => subscription_id))
  const ours = await selectStandings(db, { siteNo: site.siteNo })
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
  const add = (side: 'ours' | 'processor', { subscriptionId, currency, mrr }: Standing) => {
    const key = `${subscriptionId}/${currency}`
    const row = rows.get(key) ?? { subscription_id: subscriptionId, currency, ours: 0, processor: 0 }
    row[side] += mrr
    rows.set(key, row)
  }
  for (const standing of ours) add('ours', standing)
  for (const standing of processor) add('processor', standing)
  return [...rows.values()].filter(row => row.ours !== row.processor).sort(bySubscription)
}

const bySubscription = (a: Pick<Unreadable, 'subscription_id'>, b: Pick<Unreadable, 'subscription_id'>) =>
  a.subscription_id < b.subscription_id ? -1 : 1

/** Tiers and the coupons of customers are too deep for `expand` in a list, so they are requested one by one. */
async function readStandings(access: StripeAccess) {
  const stripe = connectStripe(access)
  const subscriptions: { id: string; facts: AnyFact[] }[] = []
  const unreadable: Unreadable[] = []
  const attempt = <Result>(subscription_id: string, read: () => Result): Result | undefined => {
    try {
      return read()
    } catch (error) {
      unreadable.push({ subscription_id, reason: reasonOf(error) })
      return undefined
    }
  }
  const pages = stripe.subscriptions.list({
    limit: 100,
    expand: ['data.customer', 'data.discounts.source.coupon', 'data.items.data.discounts'],
  })
  const needed = new Map<string, Lookup>()
  for await (const given of pages) {
    const whole = await withAllItems(stripe, given)
    attempt(given.id, () => {
      const facts = factsOf(whole)
      for (const lookup of deriveHistory(facts, [], []).needed)
        needed.set(`${lookup.of}/${lookup.id}`, lookup)
      subscriptions.push({ id: given.id, facts })
    })
  }
  const fetched = await fetchObjects(access, termsIn([...needed.values()]))
  if (fetched.failed.length > fetched.unreadable.length) {
    throw new AppError('unavailable', `The processor cannot be asked: ${fetched.failure}`)
  }
  const standings = subscriptions.flatMap(
    ({ id, facts }) => attempt(id, () => standingOf(id, facts, fetched)) ?? [],
  )
  return { standings, missing: fetched.missing, unreadable }
}

function standingOf(id: string, facts: readonly AnyFact[], fetched: FetchedObjects): Standing[] {
  const { states, needed } = deriveHistory(facts, [], fetched.facts as AnyFact[])
  const beyond = termsIn(needed).find(({ id }) => fetched.unreadable.includes(id))
  if (beyond) throw new RangeError(`${beyond.id} cannot be read`)
  const { status, currency, mrr } = states.at(-1)!
  return isCounting(status) ? [{ subscriptionId: id, currency, mrr }] : []
}

const termsIn = (lookups: Lookup[]) => lookups.filter(({ of }) => of !== 'items')

/** @throws the given error, unless it reports a value beyond a bound */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) return validationError(error).message
  if (error instanceof RangeError) return error.message
  throw error
}

function factsOf(given: unknown): AnyFact[] {
  const raw = plain(given) as { customer?: unknown }
  const { id, state, customerId } = Subscription.parse(raw)
  const common = { ...UNLINKED, eventId: 'list', at: new Date(0), objectId: id, customerId }
  const facts: AnyFact[] = [{ ...common, kind: 'subscription', subscriptionId: id, body: state }]
  const discount = Customer.safeParse(raw.customer).data?.discount
  if (discount) {
    facts.push({ ...common, kind: 'discount', body: { change: 'added', discount } })
  }
  return facts
}
