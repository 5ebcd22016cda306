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

/** A further transaction may change the same sessions each time. */
const ATTEMPTS = 5
/** SQLSTATE of a serialization failure: nothing is wrong with the hits, and the batch comes again. */
const TO_BE_RETRIED = { code: '40001' }

/**
 * Numbers the sessions of the visitors among which one came late, by start, from 1. From that one on the numbers change.
 * @returns those whose number changed
 * @throws an error with the SQLSTATE of a serialization failure when others do not stop changing them
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
    // Those that had to wait for another transaction were left out; it has ended now.
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
