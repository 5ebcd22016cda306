import { noteErased } from '../../../money/erased-payers.ts'
import { enqueueRecomputes, recomputeSite } from '../../../money/subscriptions/recompute-queue.ts'
import { inProcessorTransaction } from '../../../money/transactions.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { Log } from '../../../platform/runtime/log.ts'
import { deleteAnnouncements } from '../../../storage/events/announcements.ts'
import { allowColumnstoreWrites } from '../../../storage/rollups/columnstore.ts'
import { type Erasure, itemsOf, numbersOf, type Outcome, removeItems } from './items.ts'
import { pseudonymizeCustomer } from './pseudonymize-customer.ts'

/** The subscriptions of these facts are computed again without the visitor. */
const unlinkFacts = query<{ siteNo: number; visitorIds: string[] }, { subscriptionId: string | null }>(
  'unlink-facts-of-visitors',
  `with unlinked as (
    update processor_facts set visitor_id = null
    where site_no = :siteNo::int and visitor_id = any(:visitorIds::uuid[])
    returning subscription_id, customer_id
  )
  select subscription_id as "subscriptionId" from unlinked
  union
  select facts.subscription_id
  from processor_facts as facts
  where facts.site_no = :siteNo::int and facts.customer_id = any(array(select customer_id from unlinked))`,
)

const deleteAwaiting = query<{ siteNo: number; visitorIds: string[] }>(
  'delete-awaiting-of-visitors',
  'delete from awaiting_visitors where site_no = :siteNo and visitor_id = any(:visitorIds::uuid[])',
)

type Links = { siteNo: number; visitorNos: number[]; sessionNos: number[] }

/** Their lock allows to change their ledger rows: see `lock-payments`. */
const lockPaymentsOfVisitors = query<Links, { id: string }>(
  'lock-payments-of-visitors',
  `select id
  from payments
  where site_no = :siteNo::int and id = any(array(
    select payment_id
    from revenue
    where site_no = :siteNo::int and (visitor_no = any(:visitorNos::int[]) or session_no = any(:sessionNos::bigint[]))
  ))
  order by paid_at, id
  for no key update`,
)

/** Rows that have come since their customer got a pseudonym. */
const unlinkRevenue = query<Links>(
  'unlink-revenue-of-visitors',
  `update revenue
  set visitor_no = null, session_no = null, session_at = null
  where site_no = :siteNo::int and (visitor_no = any(:visitorNos::int[]) or session_no = any(:sessionNos::bigint[]))`,
)

const unlinkMovements = query<Links>(
  'unlink-movements-of-visitors',
  `update mrr_movements
  set visitor_no = null, session_no = null, session_at = null
  where site_no = :siteNo::int and (visitor_no = any(:visitorNos::int[]) or session_no = any(:sessionNos::bigint[]))`,
)

const countQueued = query<{ siteNo: number }, { count: number }>(
  'count-recompute-queue',
  'select count(*)::int as count from recompute_queue where site_no = :siteNo',
)

/**
 * Takes the person out of the money: customers get a pseudonym, and payments, movements and lifecycle events lose their visitor.
 * No amount, no count of payments and no count of customers changes.
 */
export async function unlinkMoney(
  services: { db: Db; log: Log },
  erasure: Erasure,
  now: Date,
  hasTime: () => boolean,
): Promise<Outcome> {
  const { db } = services
  const { siteNo } = erasure
  const links = {
    visitorIds: await itemsOf(db, erasure, 'linked'),
    sessionNos: await numbersOf(db, erasure, 'session'),
  }
  for (const customer of await itemsOf(db, erasure, 'customer')) {
    await inProcessorTransaction(db, siteNo, async tx => {
      await allowColumnstoreWrites(tx)
      await enqueueRecomputes(tx, siteNo, await pseudonymizeCustomer(tx, { siteNo, customer, now, ...links }))
      await deleteAnnouncements(tx, { siteNo, visitorIds: links.visitorIds, customers: [customer] })
      await removeItems(tx, erasure, 'customer', [customer])
    })
    if (!hasTime()) return 'more'
  }
  await inProcessorTransaction(db, siteNo, tx => unlinkVisitors(tx, erasure, now, links))
  // Deletes and writes lifecycle events, and attributes movements again.
  while (await recomputeSite(services, siteNo)) if (!hasTime()) return 'more'
  const [queue] = await countQueued(db, { siteNo })
  return queue!.count > 0 ? 'waiting' : 'done'
}

async function unlinkVisitors(
  tx: Transaction,
  erasure: Erasure,
  now: Date,
  { visitorIds, sessionNos }: { visitorIds: string[]; sessionNos: number[] },
): Promise<void> {
  const { siteNo } = erasure
  const marks = visitorIds.map(value => ({ kind: 'visitor', value }) as const)
  await noteErased(tx, siteNo, marks, now)
  const facts = await unlinkFacts(tx, { siteNo, visitorIds })
  const subscriptionIds = facts.flatMap(({ subscriptionId }) => subscriptionId ?? [])
  await enqueueRecomputes(tx, siteNo, subscriptionIds)
  await deleteAwaiting(tx, { siteNo, visitorIds })
  await deleteAnnouncements(tx, { siteNo, visitorIds, customers: [] })
  const links = { siteNo, visitorNos: await numbersOf(tx, erasure, 'gone'), sessionNos }
  await lockPaymentsOfVisitors(tx, links)
  await unlinkRevenue(tx, links)
  await unlinkMovements(tx, links)
}
