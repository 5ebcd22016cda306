import { statement, type Transaction } from '../../infra/db.ts'
import type { Visitor } from './timeline.ts'

interface VisitNumber {
  siteNo: number
  at: Date
  sessionNo: number
  visitCount: number
}

const selectVisitNumbers = statement<VisitNumber>('select-visit-numbers')
const updateVisitNumbers = statement('update-visit-numbers')

/**
 * Numbers the sessions of visitors by start, from 1: a session that came late moves the numbers of those after it.
 * @returns those whose number changed
 */
export async function recountVisits(
  tx: Transaction,
  visitors: Visitor[],
): Promise<{ siteNo: number; at: number }[]> {
  const late = visitors.filter(visitor => visitor.hasLateSession)
  if (late.length === 0) return []
  const siteNos = [...new Set(late.map(visitor => visitor.siteNo))]
  const changed = await selectVisitNumbers(
    tx,
    late.map(visitor => visitor.visitorNo),
    siteNos,
    new Date(Math.min(...late.map(visitor => visitor.firstSeenAt))),
  )
  if (changed.length === 0) return []
  const starts = changed.map(row => row.at.getTime())
  await updateVisitNumbers(
    tx,
    changed.map(row => row.siteNo),
    starts,
    changed.map(row => row.sessionNo),
    changed.map(row => row.visitCount),
    siteNos,
    new Date(starts.reduce((a, b) => Math.min(a, b))),
    new Date(starts.reduce((a, b) => Math.max(a, b))),
  )
  return changed.map((row, index) => ({ siteNo: row.siteNo, at: starts[index]! }))
}
