import { arrayText, timeText } from '../../infra/array-text.ts'
import { type Queryable, statement } from '../../infra/db.ts'
import type { Hit } from '../hit.ts'

const selectStoredHits = statement<{ id: string }>('select-stored-hits')
const selectStoredInSpan = statement<{ id: string }>('select-stored-in-span')

/** Hits that came as close together as this: not much more than they is stored of the time they came in. */
const SPAN_MS_A_HIT = 10

type Asked = Pick<Hit, 'siteNo' | 'at' | 'id' | 'formerId'>

/** Ids of those hits that are stored already, under it or the one of an earlier release. */
export async function findStored(db: Queryable, hits: Asked[]): Promise<Set<string>> {
  const former = hits.filter(hit => hit.formerId !== undefined)
  const stored = await findIds(db, [...hits, ...former.map(hit => ({ ...hit, id: hit.formerId! }))])
  for (const hit of former) if (stored.delete(hit.formerId!)) stored.add(hit.id)
  return stored
}

async function findIds(db: Queryable, hits: Asked[]): Promise<Set<string>> {
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
