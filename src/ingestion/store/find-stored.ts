import { arrayText, timeText } from '../../infra/array-text.ts'
import { type Queryable, statement } from '../../infra/db.ts'

const selectStoredHits = statement<{ id: string }>('select-stored-hits')
const selectStoredInSpan = statement<{ id: string }>('select-stored-in-span')

/** Hits that came as close together as this: not much more than they is stored of the time they came in. */
const SPAN_MS_A_HIT = 10

/** Ids of those hits that are stored already. */
export async function findStored(
  db: Queryable,
  hits: { siteNo: number; at: number; id: string }[],
): Promise<Set<string>> {
  if (hits.length === 0) return new Set()
  const times = hits.map(hit => hit.at)
  const from = times.reduce((a, b) => Math.min(a, b))
  const to = times.reduce((a, b) => Math.max(a, b))
  const ids = arrayText(hits.map(hit => hit.id))
  const siteNos = hits.map(hit => hit.siteNo)
  const span = [timeText(from), timeText(to)]
  const rows =
    to - from <= SPAN_MS_A_HIT * hits.length
      ? await selectStoredInSpan(db, ids, arrayText([...new Set(siteNos)]), ...span)
      : await selectStoredHits(db, arrayText(siteNos), arrayText(times.map(timeText)), ids, ...span)
  return new Set(rows.map(row => row.id))
}
