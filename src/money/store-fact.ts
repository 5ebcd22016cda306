import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../platform/db/connect.ts'
import { query } from '../platform/db/query.ts'
import type { Fact } from './processor/event.ts'
import { type AnyFact, findNamedVisitor, loadDefinitions, upsertFact } from './processor/facts.ts'
import { plain } from './processor/fetch-objects.ts'
import { describedIn, namedIn } from './subscriptions/definitions.ts'

/** Records that a subscription, or a customer, has coupons and prices. */
const insertDependents = query<{
  siteNo: number
  objectIds: string[]
  holderId: string
  isCustomer: boolean
}>(
  'insert-price-dependents',
  `insert into price_dependents (site_no, object_id, holder_id, is_customer)
  select :siteNo::int, object_id, :holderId::text, :isCustomer::boolean
  from unnest(:objectIds::text[]) as object_id
  on conflict do nothing`,
)

/** Returns the subscriptions that have a coupon or price, directly or through their customer. */
const selectDependents = query<{ siteNo: number; objectId: string }, { subscriptionId: string }>(
  'select-dependents',
  `select holder_id as "subscriptionId"
  from price_dependents
  where site_no = :siteNo and object_id = :objectId and not is_customer
  union
  select facts.subscription_id
  from price_dependents as dependents
  join processor_facts as facts on facts.site_no = :siteNo and facts.customer_id = dependents.holder_id
  where
    dependents.site_no = :siteNo
    and dependents.object_id = :objectId
    and dependents.is_customer
    and facts.subscription_id is not null`,
)

const selectOfCustomer = query<{ siteNo: number; customerId: string }, { subscriptionId: string }>(
  'select-subscriptions-of-customer',
  `select distinct subscription_id as "subscriptionId"
  from processor_facts
  where site_no = :siteNo and customer_id = :customerId and subscription_id is not null`,
)

/** What a new fact changes. */
export interface Affected {
  /** Ids of the subscriptions that depend on the fact, its own first. */
  subscriptionIds: string[]
  /** Ids whose visitor became known with the fact. */
  attributed: { subscriptionId: string | null; customerId: string | null }
}

/** Stores a fact and returns what it changes. */
export async function storeFact(tx: Transaction, siteNo: number, fact: Fact): Promise<Affected> {
  const others = new Set<string>()
  if (fact.kind === 'coupon' || fact.kind === 'price') {
    for (const id of await storeDefinition(tx, siteNo, fact)) others.add(id)
  } else {
    await upsertFact(tx, siteNo, fact)
    await recordDependents(tx, siteNo, fact)
  }
  const attributed = await idsAttributedBy(tx, siteNo, fact)
  const isOfCustomer = fact.kind === 'discount' && fact.subscriptionId === null
  const customerId = isOfCustomer ? fact.customerId : attributed.customerId
  if (customerId !== null) {
    for (const id of idsOf(await selectOfCustomer(tx, { siteNo, customerId }))) others.add(id)
  }
  const own = fact.subscriptionId === null ? [] : [fact.subscriptionId]
  for (const id of own) others.delete(id)
  return { subscriptionIds: [...own, ...[...others].sort()], attributed }
}

/**
 * Stores a fact of a coupon or price.
 * @returns ids of the subscriptions that use it; none when the fact adds nothing new
 */
async function storeDefinition(tx: Transaction, siteNo: number, fact: Fact): Promise<string[]> {
  const { objectId } = fact
  const known = async () => {
    const { coupons, prices } = describedIn(await loadDefinitions(tx, siteNo, [objectId]))
    // Compare the stored form: JSON drops fields that are undefined.
    return plain([...coupons.values(), ...prices.values()])
  }
  const before = await known()
  await upsertFact(tx, siteNo, fact)
  return isDeepStrictEqual(before, await known())
    ? []
    : idsOf(await selectDependents(tx, { siteNo, objectId }))
}

/** Stores which coupons and prices a subscription, or its customer, has according to a fact. */
async function recordDependents(tx: Transaction, siteNo: number, fact: Fact): Promise<void> {
  const holderId = fact.subscriptionId ?? fact.customerId
  const objectIds = namedIn([fact as AnyFact])
  if (holderId === null || objectIds.length === 0) return
  await insertDependents(tx, { siteNo, objectIds, holderId, isCustomer: fact.subscriptionId === null })
}

async function idsAttributedBy(tx: Transaction, siteNo: number, fact: Fact): Promise<Affected['attributed']> {
  const { visitorId, subscriptionId, customerId, eventId } = fact
  if (visitorId === null) return { subscriptionId: null, customerId: null }
  const first = await findNamedVisitor(tx, siteNo, { subscriptionId, customerId, eventId })
  return {
    subscriptionId: first.isFirstOfSubscription ? subscriptionId : null,
    customerId: first.isFirstOfCustomer ? customerId : null,
  }
}

const idsOf = (rows: { subscriptionId: string }[]) => rows.map(({ subscriptionId }) => subscriptionId)
