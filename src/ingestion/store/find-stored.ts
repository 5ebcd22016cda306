import { arrayText, timeText } from '../../infra/array-text.ts'
import { type Queryable, statement } from '../../infra/db.ts'

const selectStoredHits = statement<{ id: string }>('select-stored-hits')

/** Ids of those hits that are stored already. */
export async function findStored(
  db: Queryable,
  hits: { siteNo: number; at: number; id: string }[],
): Promise<Set<string>> {
  if (hits.length === 0) return new Set()
  const times = hits.map(hit => hit.at)
  const rows = await selectStoredHits(
    db,
    arrayText(hits.map(hit => hit.siteNo)),
    arrayText(times.map(timeText)),
    arrayText(hits.map(hit => hit.id)),
    new Date(times.reduce((a, b) => Math.min(a, b))),
    new Date(times.reduce((a, b) => Math.max(a, b))),
  )
  return new Set(rows.map(row => row.id))
}
