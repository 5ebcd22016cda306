import type { Db, Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { lockNewcomers } from '../../storage/events/attribution.ts'
import { lockConnection, type OpenConnection } from '../processor/connection.ts'
import { SALE_KINDS_IN_SQL } from '../processor/facts.ts'
import { recordSales } from '../sales/record-sales.ts'
import { recomputeMany } from '../subscriptions/recompute-many.ts'
import { inProcessorTransaction, lockLedger } from '../transactions.ts'
import { MOST_NAMED, type Unreadable } from './counts.ts'
import { insertWork } from './note-work.ts'
import { preferIndexes } from './prefer-indexes.ts'

type Kind = 'subscription' | 'sale'

/** Most of one transaction: events of the site wait for it. A subscription has its invoices with it. */
const MOST: Record<Kind, number> = { subscription: 20, sale: 200 }

const selectWork = query<{ siteNo: number; kind: string; limit: number }, { id: string }>(
  'select-import-work',
  `select id
  from revenue_import_work
  where site_no = :siteNo and kind = :kind and failure is null
  order by id
  limit :limit`,
)

const deleteWork = query<{ siteNo: number; kind: string; ids: readonly string[] }>(
  'delete-import-work',
  'delete from revenue_import_work where site_no = :siteNo and kind = :kind and id = any(:ids::text[])',
)

const countWork = query<{ siteNo: number }, { count: number }>(
  'count-import-work',
  'select count(*)::int as count from revenue_import_work where site_no = :siteNo and failure is null',
)

const setAside = query<{ siteNo: number; kind: string; id: string; failure: string }>(
  'set-import-work-aside',
  'update revenue_import_work set failure = :failure where site_no = :siteNo and kind = :kind and id = :id',
)

const selectSetAside = query<{ siteNo: number; limit: number }, Unreadable & { total: number }>(
  'select-import-work-set-aside',
  `select id, failure as reason, count(*) over ()::int as total
  from revenue_import_work
  where site_no = :siteNo and failure is not null
  order by kind, id
  limit :limit`,
)

const selectSaleIds = query<{ siteNo: number; subscriptionIds: readonly string[] }, { id: string }>(
  'select-sales-of-subscriptions',
  `select distinct object_id as id
  from processor_facts
  where
    site_no = :siteNo
    and subscription_id = any(:subscriptionIds::text[])
    and kind in (${SALE_KINDS_IN_SQL})
    and (body ->> 'amountMinor')::bigint > 0`,
)

const selectIsNaming = query<{ siteNo: number }, { isNaming: boolean }>(
  'select-is-naming-visitors',
  `select exists (
    select from processor_facts where site_no = :siteNo and visitor_id is not null
  ) as "isNaming"`,
)

/** Makes statistics of the rows that were read: the embedded database never does it by itself. */
export const analyzeFacts = async (db: Db): Promise<void> => {
  await db.unsafe('analyze processor_facts')
}

/** Returns how many subscriptions and sales are left to derive. */
export const workLeft = async (db: Queryable, siteNo: number): Promise<number> =>
  (await countWork(db, { siteNo }))[0]!.count

/** Returns the first subscriptions and sales that could not be derived, and how many they are. */
export async function findUnderivable(
  db: Queryable,
  siteNo: number,
): Promise<{ listed: Unreadable[]; total: number }> {
  const rows = await selectSetAside(db, { siteNo, limit: MOST_NAMED })
  return { listed: rows.map(({ id, reason }) => ({ id, reason })), total: rows[0]?.total ?? 0 }
}

/**
 * Derives payments, movements and lifecycle events of the next subscriptions, or of the next sales, that were read. A batch leaves the
 * list in the transaction that derives it, so it may be interrupted. What cannot be derived stays there with the reason.
 * @param connection absent for facts that came from a file
 * @returns false when nothing was left
 */
export async function deriveNext(
  services: { db: Db; log: Log },
  { siteNo }: { siteNo: number },
  connection?: OpenConnection,
): Promise<boolean> {
  if (await deriveSome(services, siteNo, 'subscription', connection)) return true
  return deriveSome(services, siteNo, 'sale', connection)
}

async function deriveSome(
  { db, log }: { db: Db; log: Log },
  siteNo: number,
  kind: Kind,
  connection: OpenConnection | undefined,
): Promise<boolean> {
  for (let limit = MOST[kind]; ; limit = Math.ceil(limit / 4)) {
    let ids: string[] = []
    try {
      await inProcessorTransaction(db, siteNo, async tx => {
        if (connection) await lockConnection(tx, connection)
        await lockLedger(tx, siteNo)
        if ((await selectIsNaming(tx, { siteNo }))[0]!.isNaming) await lockNewcomers(tx, siteNo)
        await preferIndexes(tx)
        ids = (await selectWork(tx, { siteNo, kind, limit })).map(({ id }) => id)
        if (ids.length === 0) return
        const sales = kind === 'sale' ? ids : await salesOfSubscriptions(tx, siteNo, ids)
        await recordSales(tx, siteNo, sales)
        await deleteWork(tx, { siteNo, kind, ids })
      })
      return ids.length > 0
    } catch (error) {
      const isOfData =
        error instanceof RangeError || (error instanceof AppError && error.code !== 'not_found')
      if (!isOfData) throw error
      if (ids.length > 1) continue
      const failure = error.message
      log.warn({ siteNo, kind, ids, reason: failure }, 'it cannot be worked out')
      await inProcessorTransaction(db, siteNo, async tx => {
        for (const id of ids) await setAside(tx, { siteNo, kind, id, failure })
        if (kind === 'subscription') await noteSales(tx, siteNo, ids)
      })
      return true
    }
  }
}

/** The payments of a subscription are recorded whatever its MRR is. */
async function noteSales(tx: Transaction, siteNo: number, subscriptionIds: readonly string[]): Promise<void> {
  const ids = (await selectSaleIds(tx, { siteNo, subscriptionIds })).map(({ id }) => id)
  if (ids.length > 0) await insertWork(tx, { siteNo, kinds: ids.map(() => 'sale'), ids })
}

/** Recomputes subscriptions, and returns the ids of their sales. */
async function salesOfSubscriptions(
  tx: Transaction,
  siteNo: number,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  const renewalsChanged = await recomputeMany(tx, siteNo, subscriptionIds)
  const sales = await selectSaleIds(tx, { siteNo, subscriptionIds })
  return [...new Set([...sales.map(({ id }) => id), ...renewalsChanged])]
}
