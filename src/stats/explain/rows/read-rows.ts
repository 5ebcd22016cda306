import { payerKey } from '../../money/payer-mail.ts'
import type { StatsServices } from '../../query-context.ts'
import type { RowKind } from '../explanation.ts'
import { cursorOf } from './cursor.ts'
import { listMovements, listPayments } from './ledger-rows.ts'
import type { Listed, Wanted } from './listed.ts'
import { listChanges, listSubscribed, withTax } from './mrr-rows.ts'
import { listConverters, listSessions } from './traffic-rows.ts'

/** Services that rows are read with. */
export type RowServices = StatsServices & {
  /** Whether the reader may see the list of payments, which has their ids. */
  seesPayments?: boolean | undefined
}

const LISTS: Record<RowKind, (wanted: Wanted) => Promise<Listed[]>> = {
  session: listSessions,
  visitor: listConverters,
  payment: listPayments,
  movement: listMovements,
  subscription: wanted => listSubscribed('subscription', wanted),
  customer: wanted => listSubscribed('customer', wanted),
  change: listChanges,
}

/** Returns a page of the rows that a number comes from, the newest first. */
export async function readRows(reader: RowServices, kind: RowKind, wanted: Wanted) {
  // One more tells whether there is a next page.
  const listed = await LISTS[kind]({ ...wanted, limit: wanted.limit + 1 })
  const page = await withTax(wanted, kind, listed.slice(0, wanted.limit))
  const last = page.at(-1)
  return {
    kind,
    data: page.map(({ row }) => ({
      ...row,
      id: payerKey(reader, row.id),
      customer: payerKey(reader, row.customer),
    })),
    next_cursor: last && listed.length > page.length ? cursorOf(last.key) : null,
  }
}
