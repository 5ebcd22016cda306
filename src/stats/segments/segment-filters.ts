import type { Queryable } from '../../platform/db/connect.ts'
import { invalidField } from '../../platform/errors.ts'
import { findSegments } from './segment-rows.ts'
import { partsOf, SegmentFilters } from './segment-schema.ts'
import { missingGoals } from './segments.ts'

/**
 * Returns the filters of segments, which all apply.
 * @param userId who reads: personal segments of others are unknown
 * @throws AppError `validation_failed` for an unknown segment, and for one that uses a goal which was deleted
 */
export async function loadSegments(
  db: Queryable,
  { siteNo, userId }: { siteNo: number; userId: string },
  ids: string[],
) {
  const wanted = [...new Set(ids.map(id => id.toLowerCase()))]
  const rows = await findSegments(db, { siteNo, userId, ids: wanted })
  if (rows.length < wanted.length) throw invalidField('segment', 'must be the id of a segment of the site')
  // In the order of the request: the first wrong one is named.
  const ordered = wanted.map(id => rows.find(row => row.id === id)!)
  const segments = ordered.map(({ id, name, filters }) => ({
    id,
    name,
    // An unknown filter is an error: without it the segment would be wider.
    ...partsOf(SegmentFilters.parse(filters)),
  }))
  const missing = new Set(
    await missingGoals(
      { db },
      { siteNo },
      segments.flatMap(({ goalIds }) => goalIds),
    ),
  )
  for (const { id, name, goalIds } of segments) {
    const gone = goalIds.find(each => missing.has(each))
    if (gone === undefined) continue
    throw invalidField(
      'segment',
      `The segment ${name} (${id}) uses the goal ${gone}, which was deleted: change or delete the segment`,
    )
  }
  return segments
}
