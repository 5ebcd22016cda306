import { arrayText, timeText } from '../db/array-text.ts'
import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'

const insertCandidates = query<{ siteNo: number; times: string; ids: string }>(
  'insert-goal-candidates',
  `insert into goal_candidates (site_no, times, ids)
  values (:siteNo, :times::timestamptz[], :ids::uuid[])`,
)

interface StoredHit {
  siteNo: number
  at: number
  id: string
}

/** Notes hits of the transaction that stores them, so that each is compared with the goals of its site exactly once. */
export async function noteCandidates(tx: Transaction, hits: readonly StoredHit[]): Promise<void> {
  for (const siteNo of new Set(hits.map(hit => hit.siteNo))) {
    const ofSite = hits.filter(hit => hit.siteNo === siteNo)
    const times = arrayText(ofSite.map(({ at }) => timeText(at)))
    await insertCandidates(tx, { siteNo, times, ids: arrayText(ofSite.map(({ id }) => id)) })
  }
}
