import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../runtime/log.ts'
import { lockConnection, type OpenConnection } from '../processor/connection.ts'
import { recordSales } from '../sales/record-sales.ts'
import { recomputeMany } from '../subscriptions/recompute-many.ts'
import { inProcessorTransaction } from '../transactions.ts'

type Kind = 'subscription' | 'sale'

/** Most of one transaction: events of the site wait for it. A subscription has its invoices with it. */
const MOST: Record<Kind, number> = { subscription: 20, sale: 200 }

const selectWork = query<{ siteNo: number; kind: string; limit: number }, { id: string }>(
  'select-import-work',
  `select id
  from revenue_import_work
  where site_no = :siteNo and kind = :kind
  order by id
  limit :limit`,
)

const deleteWork = query<{ siteNo: number; kind: string; ids: readonly string[] }>(
  'delete-import-work',
  'delete from revenue_import_work where site_no = :siteNo and kind = :kind and id = any(:ids::text[])',
)

const countWork = query<{ siteNo: number }, { count: number }>(
  'count-import-work',
  'select count(*)::int as count from revenue_import_work where site_no = :siteNo',
)

const selectSaleIds = query<{ siteNo: number; subscriptionIds: readonly string[] }, { id: string }>(
  'select-sales-of-subscriptions',
  `select distinct object_id as id
  from processor_facts
  where
    site_no = :siteNo
    and subscription_id = any(:subscriptionIds::text[])
    and kind in ('invoice', 'checkout')
    and (body ->> 'amountMinor')::bigint > 0`,
)

/**
 * Without statistics of the rows that were just read, the planner expects few of them and compares each with every id: a batch then takes
 * seconds instead of milliseconds. The functions of triggers keep such a plan, too.
 */
const preferIndexes = query('prefer-indexes', `select set_config('enable_seqscan', 'off', true)`)

/** Makes statistics of the rows that were read: the embedded database never does it by itself. */
export const analyzeFacts = async (db: Db): Promise<void> => {
  await db.unsafe('analyze processor_facts')
}

/** Returns how many subscriptions and sales are left to derive. */
export const workLeft = async (db: Db, siteNo: number): Promise<number> =>
  (await countWork(db, { siteNo }))[0]!.count

/**
 * Derives payments, movements and lifecycle events of the next subscriptions, or of the next sales, that were read. A batch leaves the
 * list in the transaction that derives it, so it may be interrupted.
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
      if (limit > 1) continue
      log.warn({ siteNo, kind, ids, reason: error.message }, 'it cannot be worked out')
      await deleteWork(db, { siteNo, kind, ids })
      return true
    }
  }
}

/** Recomputes subscriptions, and returns the ids of their sales. */
async function salesOfSubscriptions(
  tx: Parameters<typeof recomputeMany>[0],
  siteNo: number,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  const renewalsChanged = await recomputeMany(tx, siteNo, subscriptionIds)
  const sales = await selectSaleIds(tx, { siteNo, subscriptionIds })
  return [...new Set([...sales.map(({ id }) => id), ...renewalsChanged])]
}
