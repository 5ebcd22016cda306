import { inProcessorTransaction } from '../../../../money/transactions.ts'
import type { Db, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { type AwaitingRow, awaitAgain } from '../../../../storage/events/attribution.ts'
import { allowColumnstoreWrites } from '../../../../storage/rollups/columnstore.ts'
import type { UndoTask } from '../import-kind.ts'

/** Rows of one transaction: no payment of the site is recorded meanwhile. */
const SLICE = 50

/** Payments and what the service wrote of them, as far as they have a visitor of the import. */
const selectLinked = query<{ siteNo: number; format: string; limit: number }, AwaitingRow>(
  'select-money-of-imported',
  `with imported as materialized (
    select visitor_no, id from visitors where site_no = :siteNo::int and imported_as = :format::text
  )
  select site_no as "siteNo", 'revenue' as target, at, payment_id as id, imported.id as "visitorId"
  from revenue join imported using (visitor_no)
  where site_no = :siteNo::int and visitor_no is not null
  union all
  select site_no, 'events', at, events.id, imported.id
  from events join imported using (visitor_no)
  where site_no = :siteNo::int and is_service
  union all
  select site_no, 'mrr_movements', at, mrr_movements.id, imported.id
  from mrr_movements join imported using (visitor_no)
  where site_no = :siteNo::int and visitor_no is not null
  limit :limit::int`,
)

/** Makes money that names visitors of the import wait for them again. */
export async function unlinkMoney(db: Db, { siteNo, format, turn }: UndoTask): Promise<void> {
  const select = (tx: Db | Transaction) => selectLinked(tx, { siteNo, format, limit: SLICE })
  for (let isMore = true; isMore; ) {
    await turn.pass()
    // Looked for before the lock is taken, because it may take long.
    const found = await select(db)
    isMore = await inProcessorTransaction(db, siteNo, async tx => {
      // After the last ones, look once more: a payment may have been recorded until the lock was taken.
      const rows = found.length > 0 ? found : await select(tx)
      if (rows.length === 0) return false
      await allowColumnstoreWrites(tx)
      await awaitAgain(tx, rows)
      return true
    })
  }
}
