import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { deleteAnnouncementsOfHits } from '../../../storage/events/announcements.ts'
import { addItems, type Erasure } from './items.ts'

/** A hit to be deleted. */
export interface ErasedHit {
  at: Date
  id: string
  type: string
  errorId: string | null
}

/** Hits that are deleted by one statement lie within this time, in few batches of the columnstore. */
const TOGETHER_MS = 60_000

interface HitRange {
  siteNo: number
  start: Date
  end: Date
  ids: string[]
}

/** Notes the digests of all values of hits that a daily rollup may have in the value dictionary. */
const noteValues = query<HitRange & { erasureId: string }>('note-erased-values')

const deleteHits = query<HitRange>(
  'delete-erased-hits',
  `delete from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at <= :end::timestamptz and id = any(:ids::uuid[])`,
)

/**
 * Deletes hits and what webhooks are told of them, and notes their errors and values. The caller marks their buckets.
 * @param hits in time order
 */
export async function eraseHits(tx: Transaction, erasure: Erasure, hits: ErasedHit[]): Promise<void> {
  for (const together of clustersOf(hits)) {
    const [start, end] = [together[0]!.at, together.at(-1)!.at]
    const range = { siteNo: erasure.siteNo, start, end, ids: together.map(({ id }) => id) }
    await noteValues(tx, { ...range, erasureId: erasure.id })
    await deleteHits(tx, range)
    await deleteAnnouncementsOfHits(tx, { siteNo: erasure.siteNo, hitIds: range.ids })
  }
  const errorIds = hits.flatMap(({ type, errorId }) => (type === 'error' && errorId ? [errorId] : []))
  await addItems(tx, erasure, 'error', errorIds)
}

function clustersOf(hits: ErasedHit[]): ErasedHit[][] {
  const clusters: ErasedHit[][] = []
  for (const hit of hits) {
    const latest = clusters.at(-1)
    if (latest && hit.at.getTime() - latest[0]!.at.getTime() <= TOGETHER_MS) latest.push(hit)
    else clusters.push([hit])
  }
  return clusters
}
