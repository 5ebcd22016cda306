import { markTimes } from '../../../../money/ledger/service-events.ts'
import { inProcessorTransaction } from '../../../../money/transactions.ts'
import type { Db, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { stampServiceEvents } from '../../../../storage/columns/stamps.ts'
import { allowColumnstoreWrites } from '../../../../storage/rollups/columnstore.ts'
import type { SiteKind } from '../names.ts'
import type { OpenedFile } from '../open-archive.ts'
import { lineBlocks, type Rows } from './line-blocks.ts'
import * as statements from './money-rows.ts'
import { serviceEventIds } from './service-event-ids.ts'

export interface MoneySite {
  siteNo: number
  /** Its number where the archive was written. */
  oldSiteNo: number
}

type Restore = (tx: Transaction, site: MoneySite, rows: string) => Promise<unknown>

/** The triggers of payments count customers, and those of the ledger look up the payment: it comes first. */
async function restorePayments(tx: Transaction, { siteNo }: MoneySite, rows: string): Promise<void> {
  await statements.restorePayments(tx, { siteNo, rows })
  await statements.restoreAliases(tx, { siteNo, rows })
  const ledger = await statements.restoreLedger(tx, { siteNo, rows })
  await markTimes(tx, 'revenue', siteNo, ledger)
}

async function restoreServiceEvents(tx: Transaction, site: MoneySite, rows: string): Promise<void> {
  const { siteNo } = site
  await allowColumnstoreWrites(tx)
  const events = await statements.restoreServiceEvents(tx, {
    siteNo,
    rows: await withNewIds(tx, site, rows),
  })
  const touched = events.map(({ at }) => ({ siteNo, at }))
  await stampServiceEvents(tx, touched)
  await markTimes(tx, 'hits', siteNo, touched)
}

async function restoreAwaiting(tx: Transaction, site: MoneySite, rows: string): Promise<void> {
  await statements.restoreAwaitingVisitors(tx, {
    siteNo: site.siteNo,
    rows: await withNewIds(tx, site, rows),
  })
}

/** Ids that no service event has, such as those of payments, stay. */
async function withNewIds(tx: Transaction, site: MoneySite, rows: string): Promise<string> {
  const lines = JSON.parse(rows) as { id: string; at: string }[]
  const ids = await serviceEventIds(
    tx,
    site,
    lines.map(({ at }) => new Date(at)),
  )
  return JSON.stringify(lines.map(line => ({ ...line, id: ids.get(line.id) ?? line.id })))
}

const plainly =
  (statement: (tx: Transaction, given: Rows) => Promise<unknown>): Restore =>
  (tx, { siteNo }, rows) =>
    statement(tx, { siteNo, rows })

/** In the order in which they need each other: customers of movements are found by their subscriptions. */
const STEPS: [SiteKind, Restore][] = [
  ['erased-payers', plainly(statements.restoreErasedPayers)],
  ['facts', plainly(statements.restoreFacts)],
  ['subscriptions', plainly(statements.restoreSubscriptions)],
  ['payments', restorePayments],
  ['movements', plainly(statements.restoreMovements)],
  ['lifecycle-events', plainly(statements.restoreLifecycleEvents)],
  ['service-events', restoreServiceEvents],
  ['awaiting-visitors', restoreAwaiting],
  ['price-dependents', plainly(statements.restorePriceDependents)],
  ['recompute-queue', plainly(statements.restoreRecomputeQueue)],
]

const selectSubscribers = query<{ siteNo: number; after: string; limit: number }, { customer: string }>(
  'select-restored-subscribers',
  `select distinct coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id) as customer
  from mrr_movements as movements
  left join subscriptions using (site_no, subscription_id)
  where
    movements.site_no = :siteNo::int
    and coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id) > :after::text
  order by customer
  limit :limit::int`,
)

const deriveChanges = query<{ siteNo: number; customers: string[] }>(
  'derive-restored-changes',
  'select from derive_mrr_changes(:siteNo::int, :customers::text[])',
)

/** Of a transaction: each customer takes some statements. */
const SUBSCRIBERS = 500

/** Restores the money of a site whose hits are restored. May be run again: what is stored stays. */
export async function restoreMoney(
  db: Db,
  site: MoneySite,
  filesOf: (kind: SiteKind) => OpenedFile[],
): Promise<void> {
  const { siteNo } = site
  for (const [kind, restore] of STEPS) {
    for await (const rows of lineBlocks(filesOf(kind))) {
      await inProcessorTransaction(db, siteNo, tx => restore(tx, site, rows))
    }
  }
  for (let after = ''; ; ) {
    const found = await selectSubscribers(db, { siteNo, after, limit: SUBSCRIBERS })
    const customers = found.map(({ customer }) => customer)
    if (customers.length > 0) {
      await inProcessorTransaction(db, siteNo, tx => deriveChanges(tx, { siteNo, customers }))
    }
    if (customers.length < SUBSCRIBERS) return
    after = customers.at(-1)!
  }
}
