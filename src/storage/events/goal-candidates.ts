import { arrayText, timeText } from '../../platform/db/array-text.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { groupBy } from '../../platform/lib/group-by.ts'

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

/** Most hits of one note: they are compared together, with their properties in memory. */
const MOST_HITS_OF_A_NOTE = 250

/** Notes hits of the transaction that stores them, so that each is compared with the goals of its site exactly once. */
export async function noteCandidates(tx: Transaction, hits: readonly StoredHit[]): Promise<void> {
  for (const [siteNo, ofSite] of groupBy(hits, hit => hit.siteNo)) {
    for (let first = 0; first < ofSite.length; first += MOST_HITS_OF_A_NOTE) {
      const noted = ofSite.slice(first, first + MOST_HITS_OF_A_NOTE)
      const times = arrayText(noted.map(({ at }) => timeText(at)))
      await insertCandidates(tx, { siteNo, times, ids: arrayText(noted.map(({ id }) => id)) })
    }
  }
}
