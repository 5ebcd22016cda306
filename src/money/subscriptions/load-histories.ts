import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { groupBy } from '../../platform/lib/group-by.ts'
import { type AnyFact, byTime, customerIdIn, FACT_COLUMNS, loadDefinitions } from '../processor/facts.ts'
import { namedIn } from './definitions.ts'
import { deriveHistory, type SubscriptionHistory } from './history.ts'

const selectFacts = query<{ siteNo: number; subscriptionIds: readonly string[] }, AnyFact>(
  'select-facts-of-subscriptions',
  `select ${FACT_COLUMNS}
  from processor_facts
  where site_no = :siteNo and subscription_id = any(:subscriptionIds::text[])`,
)

const selectDiscounts = query<{ siteNo: number; customerIds: string[] }, AnyFact>(
  'select-discounts-of-customers',
  `select ${FACT_COLUMNS}
  from processor_facts
  where
    site_no = :siteNo and customer_id = any(:customerIds::text[]) and kind = 'discount' and subscription_id is null`,
)

const selectVisitors = query<
  { siteNo: number; customerIds: string[] },
  { customerId: string; visitorId: string }
>(
  'select-visitors-of-customers',
  `select distinct on (customer_id) customer_id as "customerId", visitor_id as "visitorId"
  from processor_facts
  where site_no = :siteNo and customer_id = any(:customerIds::text[]) and visitor_id is not null
  order by customer_id, at, event_id`,
)

const selectSubscriptionVisitors = query<
  { siteNo: number; subscriptionIds: string[] },
  { subscriptionId: string; visitorId: string }
>(
  'select-visitors-of-subscriptions',
  `select distinct on (subscription_id) subscription_id as "subscriptionId", visitor_id as "visitorId"
  from processor_facts
  where site_no = :siteNo and subscription_id = any(:subscriptionIds::text[]) and visitor_id is not null
  order by subscription_id, at, event_id`,
)

/** The history of a subscription, and the visitor that is named first for it, else for its customer. */
export interface NamedHistory {
  history: SubscriptionHistory
  visitorId: string | null
}

/** Loads the histories of many subscriptions with one statement for each kind of fact. */
export async function loadHistories(
  tx: Transaction,
  siteNo: number,
  subscriptionIds: readonly string[],
): Promise<Map<string, NamedHistory>> {
  const facts = groupBy(await selectFacts(tx, { siteNo, subscriptionIds }), fact => fact.subscriptionId!)
  const customerIds = [...new Set([...facts.values()].flatMap(own => customerIdIn(own) ?? []))]
  const discounts = groupBy(await selectDiscounts(tx, { siteNo, customerIds }), fact => fact.customerId!)
  const named = namedIn([...facts.values(), ...discounts.values()].flat())
  const described = groupBy(await loadDefinitions(tx, siteNo, named), ({ objectId }) => objectId)
  const visitors = await visitorsOf(tx, siteNo, customerIds)
  const histories = new Map<string, NamedHistory>()
  for (const [subscriptionId, own] of facts) {
    const ofCustomer = discounts.get(customerIdIn(own) ?? '') ?? []
    const definitions = namedIn([...own, ...ofCustomer]).flatMap(id => described.get(id) ?? [])
    const history = deriveHistory(own, ofCustomer, definitions)
    const naming = own.filter(({ visitorId }) => visitorId !== null).sort(byTime)[0]
    const visitorId = naming?.visitorId ?? visitors.get(history.customerId ?? '') ?? null
    histories.set(subscriptionId, { history, visitorId })
  }
  return histories
}

async function visitorsOf(
  tx: Transaction,
  siteNo: number,
  customerIds: string[],
): Promise<Map<string, string>> {
  if (customerIds.length === 0) return new Map()
  const rows = await selectVisitors(tx, { siteNo, customerIds })
  return new Map(rows.map(({ customerId, visitorId }) => [customerId, visitorId]))
}

/** Returns a function that gives the visitor who is named first for the subscription, else for the customer, of one of the facts. */
export async function namedVisitors(
  tx: Transaction,
  siteNo: number,
  of: readonly Pick<AnyFact, 'subscriptionId' | 'customerId'>[],
): Promise<(fact: Pick<AnyFact, 'subscriptionId' | 'customerId'>) => string | null> {
  const subscriptionIds = [...new Set(of.flatMap(({ subscriptionId }) => subscriptionId ?? []))]
  const customerIds = [...new Set(of.flatMap(({ customerId }) => customerId ?? []))]
  const rows = await selectSubscriptionVisitors(tx, { siteNo, subscriptionIds })
  const ofSubscriptions = new Map(rows.map(each => [each.subscriptionId, each.visitorId]))
  const ofCustomers = await visitorsOf(tx, siteNo, customerIds)
  return ({ subscriptionId, customerId }) =>
    ofSubscriptions.get(subscriptionId ?? '') ?? ofCustomers.get(customerId ?? '') ?? null
}
