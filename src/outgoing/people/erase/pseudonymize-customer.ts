import { randomUUID } from 'node:crypto'
import { noteErased, type PayerMark } from '../../../money/erased-payers.ts'
import { serviceEventId } from '../../../money/ledger/service-events.ts'
import { lockPayment } from '../../../money/transactions.ts'
import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { unlinkServiceEvent } from '../../../storage/events/attribution.ts'

interface CustomerKey {
  siteNo: number
  customer: string
}

interface Payment {
  id: string
  paidAt: Date
  source: 'api' | 'processor'
  customerId: string | null
  visitorId: string | null
  email: string | null
  /** All ids of the sale. */
  saleIds: string[]
  isInErasedSession: boolean
}

const selectCurrencies = query<CustomerKey, { currency: string }>(
  'select-currencies-of-customer',
  'select distinct currency from payments where site_no = :siteNo and customer = :customer order by currency',
)

/** Their lock allows to change their ledger rows: see `lock-payments`. */
const lockPaymentsOf = query<CustomerKey, { id: string }>(
  'lock-payments-of-customer',
  `select id from payments where site_no = :siteNo and customer = :customer order by paid_at, id for no key update`,
)

const selectPayments = query<CustomerKey & { sessionNos: number[] }, Payment>(
  'select-payments-of-customer',
  `select
    id, paid_at as "paidAt", source, customer_id as "customerId", visitor_id as "visitorId", email,
    array(select transaction_id from payment_aliases where site_no = :siteNo::int and payment_id = payments.id) || transaction_id as "saleIds",
    exists (
      select from revenue
      where revenue.site_no = :siteNo::int and revenue.at = paid_at and payment_id = payments.id
        and session_no = any(:sessionNos::bigint[])
    ) as "isInErasedSession"
  from payments
  where site_no = :siteNo::int and customer = :customer`,
)

const updatePayments = query<{
  ids: string[]
  unlinked: string[]
  customer: string
  customerId: string | null
  email: string | null
}>(
  'pseudonymize-payments',
  `update payments
  set
    customer = :customer, customer_id = :customerId, email = :email, name = null,
    visitor_id = case when id = any(:unlinked::uuid[]) then null else visitor_id end,
    session_id = case when id = any(:unlinked::uuid[]) then null else session_id end
  where id = any(:ids::uuid[])`,
)

const unlinkRevenue = query<{ siteNo: number; times: Date[]; unlinked: string[] }>(
  'unlink-revenue',
  `update revenue
  set visitor_no = null, session_no = null, session_at = null
  where site_no = :siteNo::int and at = any(:times::timestamptz[]) and payment_id = any(:unlinked::uuid[])`,
)

interface FactsOf {
  siteNo: number
  customerId: string | null
  saleIds: string[]
}

const selectEmails = query<FactsOf, { email: string }>(
  'select-emails-of-facts',
  `select distinct body ->> 'email' as email
  from processor_facts
  where
    site_no = :siteNo::int
    and (customer_id = :customerId::text or sale_ids && :saleIds::text[])
    and body ->> 'email' is not null`,
)

/** A sale without a customer gets the address of its payment: otherwise the payment would be recorded again. */
const updateFacts = query<
  FactsOf & { visitorIds: string[]; person: string },
  { subscriptionId: string | null }
>(
  'pseudonymize-facts',
  `update processor_facts
  set
    visitor_id = case when visitor_id = any(:visitorIds::uuid[]) then null else visitor_id end,
    body = case
      when jsonb_typeof(body) = 'object' and body ?| array['email', 'name'] then
        body || case when customer_id is null then :person::text::jsonb else '{"email": null, "name": null}' end
      else body
    end
  where site_no = :siteNo::int and (customer_id = :customerId::text or sale_ids && :saleIds::text[])
  returning subscription_id as "subscriptionId"`,
)

/**
 * Removes names, e-mail addresses and visitors from the payments of a customer, in every currency at once: each customer is still one
 * customer, under a random key instead of an address or id. An id of the payment processor stays.
 * @returns the subscriptions that the processor's facts of the customer name; their lifecycle events depend on the visitor
 */
export async function pseudonymizeCustomer(
  tx: Transaction,
  given: CustomerKey & { visitorIds: string[]; sessionNos: number[]; now: Date },
): Promise<string[]> {
  const { siteNo, customer, sessionNos } = given
  for (const { currency } of await selectCurrencies(tx, given)) {
    await lockPayment(tx, siteNo, { transactionIds: [], currency, customer })
  }
  await lockPaymentsOf(tx, { siteNo, customer })
  const payments = await selectPayments(tx, { siteNo, customer, sessionNos })
  const visitorIds = [
    ...new Set([
      ...given.visitorIds,
      ...payments.flatMap(({ visitorId, isInErasedSession }) =>
        visitorId && isInErasedSession ? [visitorId] : [],
      ),
    ]),
  ]
  const isLinked = ({ visitorId, isInErasedSession }: Payment) =>
    isInErasedSession || (visitorId !== null && visitorIds.includes(visitorId))
  const unlinked = payments.filter(isLinked)
  const unlinkedIds = unlinked.map(({ id }) => id)
  const pseudonym = pseudonymOf(customer, payments)
  if (payments.length > 0) {
    await updatePayments(tx, { ids: payments.map(({ id }) => id), unlinked: unlinkedIds, ...pseudonym })
    await unlinkRevenue(tx, { siteNo, times: unlinked.map(({ paidAt }) => paidAt), unlinked: unlinkedIds })
  }
  for (const { id: key, paidAt: at } of unlinked) {
    for (const name of ['payment', 'free_trial'] as const) {
      await unlinkServiceEvent(tx, { siteNo, at, id: serviceEventId(siteNo, { name, at, key }) })
    }
  }
  const of = {
    siteNo,
    customerId: customer.startsWith('c:') ? customer.slice(2) : null,
    saleIds: payments.flatMap(({ saleIds }) => saleIds),
  }
  const emails = [...payments, ...(await selectEmails(tx, of))].flatMap(({ email }) => email ?? [])
  const marksOf = (kind: PayerMark['kind'], values: string[]) => values.map(value => ({ kind, value }))
  const marks = [
    ...marksOf('email', emails),
    ...marksOf('visitor', given.visitorIds),
    ...marksOf(
      'visit',
      unlinked.flatMap(({ saleIds }) => saleIds),
    ),
    ...(of.customerId === null ? marksOf('sale', of.saleIds) : marksOf('customer', [of.customerId])),
  ]
  await noteErased(tx, siteNo, marks, given.now)
  const facts = await updateFacts(tx, {
    ...of,
    visitorIds,
    person: JSON.stringify({ email: pseudonym.email, name: null }),
  })
  return [...new Set(facts.flatMap(({ subscriptionId }) => subscriptionId ?? []))]
}

/**
 * Returns what stands in the place of a customer, so that `customerOf` gives the new key. Ids of the processor stay, because later
 * payments and refunds come under them.
 */
function pseudonymOf(customer: string, payments: Payment[]) {
  const random = randomUUID()
  const isOfProcessor = payments.length === 0 || payments.some(({ source }) => source === 'processor')
  if (customer.startsWith('c:')) {
    const customerId = isOfProcessor ? customer.slice(2) : `erased-${random}`
    return { customer: `c:${customerId}`, customerId, email: null }
  }
  if (customer.startsWith('p:')) return { customer, customerId: null, email: null }
  const email = `${random}@erased.invalid`
  return { customer: `e:${email}`, customerId: null, email }
}
