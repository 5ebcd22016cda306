import { isDeepStrictEqual } from 'node:util'
import { statement, type Transaction } from '../infra/db.ts'
import { describedIn, namedIn } from './definitions.ts'
import type { AnyFact } from './facts.ts'
import { keepFact, loadDefinitions } from './facts.ts'
import type { Fact } from './stripe/event.ts'
import { plain } from './stripe/lookup.ts'

const insertDependents = statement('insert-price-dependents')
const selectDependents = statement<{ subscriptionId: string }>('select-dependents')
const selectOfCustomer = statement<{ subscriptionId: string }>('select-subscriptions-of-customer')

/** Stores which coupons and prices a subscription, or its customer, has according to a fact. */
export async function noteDependents(tx: Transaction, siteNo: number, fact: Fact): Promise<void> {
  const holder = fact.subscriptionId ?? fact.customerId
  const named = namedIn([fact as AnyFact])
  if (holder === null || named.length === 0) return
  await insertDependents(tx, siteNo, named, holder, fact.subscriptionId === null)
}

/**
 * Stores a fact of a coupon or price.
 * @returns ids of the subscriptions that use it; none when the fact adds nothing new
 */
export async function keepDefinition(tx: Transaction, siteNo: number, fact: Fact): Promise<string[]> {
  const known = async () => {
    const { coupons, prices } = describedIn(await loadDefinitions(tx, siteNo, [fact.objectId]))
    // Compare the stored form: JSON drops fields that are undefined.
    return plain([...coupons.values(), ...prices.values()])
  }
  const before = await known()
  await keepFact(tx, siteNo, fact)
  if (isDeepStrictEqual(before, await known())) return []
  return idsOf(await selectDependents(tx, siteNo, fact.objectId))
}

/** Returns the ids of all subscriptions of a customer. */
export const subscriptionsOf = async (tx: Transaction, siteNo: number, customerId: string) =>
  idsOf(await selectOfCustomer(tx, siteNo, customerId))

const idsOf = (rows: { subscriptionId: string }[]) => rows.map(({ subscriptionId }) => subscriptionId)
