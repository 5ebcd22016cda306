import { markTimes } from '../../../../money/ledger/service-events.ts'
import { deriveChanges } from '../../../../money/subscriptions/recompute-subscription.ts'
import { inProcessorTransaction } from '../../../../money/transactions.ts'
import type { Db, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { stampServiceEvents } from '../../../../storage/columns/stamps.ts'
import { allowColumnstoreWrites } from '../../../../storage/rollups/columnstore.ts'
import type { SiteKind } from '../../rows/row-files.ts'
import { ATTRIBUTED } from '../../rows/row-sql.ts'
import { restoreText } from '../../rows/row-text.ts'
import { lineBlocks } from './line-blocks.ts'
import { type FilesOf, kindsOf, type Rows, restoreBlock } from './restore-rows.ts'
import { serviceEventIds } from './service-event-ids.ts'

const restoreAliases = query<Rows>(
  'restore-payment-aliases',
  `insert into payment_aliases (site_no, transaction_id, payment_id)
  select :siteNo::int, alias.transaction_id, given.id
  from jsonb_to_recordset(:rows::text::jsonb) as given (id uuid, aliases jsonb)
  cross join lateral jsonb_array_elements_text(given.aliases) as alias (transaction_id)
  on conflict (site_no, transaction_id) do nothing`,
)

/** @public the test of all statements reads it */
export const LEDGER_TEXT = restoreText({
  table: 'revenue',
  key: { at: 'timestamptz', payment_id: 'uuid' },
  join: ATTRIBUTED.join,
  values: {
    at: "line -> 'paid_at'",
    payment_id: "line -> 'id'",
    is_recurring: "(line ->> 'recurring')::boolean or (line ->> 'renewal')::boolean",
    is_first_of_customer: "coalesce((line ->> 'is_first_of_customer')::boolean, false)",
    ...ATTRIBUTED.values,
  },
  orderBy: 'given.at, given.payment_id',
  isOnce: true,
  returning: 'at',
})
const restoreLedger = query<Rows, { at: Date }>('restore-ledger', LEDGER_TEXT)
const insertServiceEvents = query<Rows, { at: Date }>('restore-service-events')

export interface MoneySite {
  siteNo: number
  /** Its number where the archive was written. */
  oldSiteNo: number
}

type Restore = (tx: Transaction, site: MoneySite, rows: string) => Promise<unknown>

/** The triggers of payments count customers, and those of the ledger look up the payment: it comes first. */
async function restorePayments(tx: Transaction, { siteNo }: MoneySite, rows: string): Promise<void> {
  await restoreBlock(tx, 'payments', { siteNo, rows })
  await restoreAliases(tx, { siteNo, rows })
  const ledger = await restoreLedger(tx, { siteNo, rows })
  await markTimes(tx, 'revenue', siteNo, ledger)
}

async function restoreServiceEvents(tx: Transaction, site: MoneySite, rows: string): Promise<void> {
  const { siteNo } = site
  await allowColumnstoreWrites(tx)
  const events = await insertServiceEvents(tx, { siteNo, rows: await withNewIds(tx, site, rows) })
  const touched = events.map(({ at }) => ({ siteNo, at }))
  await stampServiceEvents(tx, touched)
  await markTimes(tx, 'hits', siteNo, touched)
}

async function restoreAwaiting(tx: Transaction, site: MoneySite, rows: string): Promise<void> {
  const { siteNo } = site
  await restoreBlock(tx, 'awaiting-visitors', { siteNo, rows: await withNewIds(tx, site, rows) })
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

/** What takes more than one statement. */
const OWN: Partial<Record<SiteKind, Restore>> = {
  payments: restorePayments,
  'service-events': restoreServiceEvents,
  'awaiting-visitors': restoreAwaiting,
}

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

/** Of a transaction: each customer takes some statements. */
const SUBSCRIBERS = 500

/** Restores the money of a site whose hits are restored. May be run again: what is stored stays. */
export async function restoreMoney(db: Db, site: MoneySite, filesOf: FilesOf): Promise<void> {
  const { siteNo } = site
  for (const kind of kindsOf('money')) {
    const plainly: Restore = (tx, _site, rows) => restoreBlock(tx, kind, { siteNo, rows })
    const restore = OWN[kind] ?? plainly
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
