import { statement, type Transaction } from '../../infra/db.ts'
import type { Visitor } from './timeline.ts'

interface VisitNumber {
  siteNo: number
  at: Date
  sessionNo: number
  visitCount: number
}

const selectVisitNumbers = statement<VisitNumber>('select-visit-numbers')
const updateVisitNumbers = statement<{ sessionNo: number }>('update-visit-numbers')

/** Maximum attempts: another transaction can change the same sessions during each of them. */
const ATTEMPTS = 5
/** SQLSTATE of a serialization failure: the hits are valid, and the caller retries the batch. */
const TO_BE_RETRIED = { code: '40001' }

/**
 * Renumbers the sessions of visitors with a late session, by start, from 1. Numbers change from the late session on.
 * @returns site and start of the sessions whose number changed
 * @throws an error with the SQLSTATE of a serialization failure when other transactions change the sessions in every attempt
 */
export async function recountVisits(
  tx: Transaction,
  visitors: Visitor[],
): Promise<{ siteNo: number; at: number }[]> {
  const late = visitors.filter(visitor => visitor.lateSessionAt !== undefined)
  if (late.length === 0) return []
  const wrong = () => selectWrong(tx, late)
  let rows = await wrong()
  const changed = rows
  for (let attempt = 1; rows.length > 0; attempt++) {
    if ((await update(tx, rows)) === rows.length) break
    if (attempt === ATTEMPTS) throw Object.assign(new Error('others change these visits'), TO_BE_RETRIED)
    // Fewer rows changed than expected: another transaction held the rest. It has ended now, so read the numbers again.
    rows = await wrong()
  }
  return changed.map(({ siteNo, at }) => ({ siteNo, at: at.getTime() }))
}

function selectWrong(tx: Transaction, late: Visitor[]): Promise<VisitNumber[]> {
  const firstSeenAt = late.map(visitor => visitor.firstSeenAt).reduce((a, b) => Math.min(a, b))
  return selectVisitNumbers(
    tx,
    late.map(visitor => visitor.visitorNo),
    sitesOf(late),
    new Date(firstSeenAt),
  )
}

async function update(tx: Transaction, rows: VisitNumber[]): Promise<number> {
  const updated = await updateVisitNumbers(
    tx,
    rows.map(row => row.siteNo),
    rows.map(row => row.at.getTime()),
    rows.map(row => row.sessionNo),
    rows.map(row => row.visitCount),
  )
  return updated.length
}

const sitesOf = (rows: { siteNo: number }[]) => [...new Set(rows.map(({ siteNo }) => siteNo))]
