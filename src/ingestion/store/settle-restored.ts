import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { Visitor } from './batch-context.ts'

const settleVisits = query<{ visitorNos: number[] }, { visitorNo: number; isAscending: boolean }>(
  'settle-visits',
)

/**
 * Settles how many sessions visitors have after sessions were restored before existing ones. The numbers that an export gives are right among
 * themselves; where other sessions of the visitor are stored, all are numbered again.
 */
export async function settleRestored(tx: Transaction, visitors: Visitor[]): Promise<void> {
  const restored = visitors.filter(({ hasRestoredLate }) => hasRestoredLate)
  if (restored.length === 0) return
  const settled = await settleVisits(tx, { visitorNos: restored.map(({ visitorNo }) => visitorNo) })
  const wrong = new Set(settled.filter(({ isAscending }) => !isAscending).map(({ visitorNo }) => visitorNo))
  for (const visitor of restored) {
    if (wrong.has(visitor.visitorNo)) visitor.lateSessionAt ??= visitor.firstSeenAt
  }
}
