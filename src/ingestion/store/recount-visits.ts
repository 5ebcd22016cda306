import { statement, type Transaction } from '../../infra/db.ts'

interface VisitNumber {
  siteNo: number
  at: Date
  sessionNo: number
  visitCount: number
}

const selectVisitNumbers = statement<VisitNumber>('select-visit-numbers')
const updateVisitNumbers = statement('update-visit-numbers')

/**
 * Numbers all sessions of visitors by start, from 1: needed only when one came late.
 * @returns those whose number changed
 */
export async function recountVisits(
  tx: Transaction,
  visitorNos: number[],
): Promise<{ siteNo: number; at: number }[]> {
  const changed = await selectVisitNumbers(tx, visitorNos)
  if (changed.length === 0) return []
  const starts = changed.map(row => row.at.getTime())
  await updateVisitNumbers(
    tx,
    changed.map(row => row.siteNo),
    starts,
    changed.map(row => row.sessionNo),
    changed.map(row => row.visitCount),
    new Date(starts.reduce((a, b) => Math.min(a, b))),
    new Date(starts.reduce((a, b) => Math.max(a, b))),
  )
  return changed.map((row, index) => ({ siteNo: row.siteNo, at: starts[index]! }))
}
