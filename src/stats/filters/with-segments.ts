import type { Db } from '../../platform/db/connect.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { checkConditions } from '../conditions/conditions.ts'
import { loadSegments } from '../segments/segment-filters.ts'
import type { Grant } from '../sharing/grant.ts'
import { propertiesOf } from './resolved-query.ts'
import type { Filters } from './stats-query.ts'

/**
 * Returns the filters of a request with those of its segments, as if all of them were given.
 * @throws AppError `forbidden` for readers of a share; `validation_failed` for an unknown segment, one that uses a goal which was
 * deleted, and filters that are too many together
 */
export async function withSegments(
  { reads, grant, userId }: { reads: Db; grant: Grant | null; userId?: string | undefined },
  { siteNo }: { siteNo: number },
  given: Filters,
  ids: string[] = [],
): Promise<Filters> {
  if (ids.length === 0) return given
  if (grant || userId === undefined) {
    throw new AppError('forbidden', 'Segments are for users of the team')
  }
  const segments = await loadSegments(reads, { siteNo, userId }, ids)
  const filters = {
    ...given,
    dimensions: [...given.dimensions, ...segments.flatMap(({ dimensions }) => dimensions)],
    segmentProperties: segments.flatMap(({ keys, values }) => (keys.length > 0 ? [{ keys, values }] : [])),
    segmentGoalIds: segments.flatMap(({ goalIds }) => (goalIds.length > 0 ? [goalIds] : [])),
  }
  const properties = propertiesOf(filters).flatMap(({ keys, values }) => [...keys, ...values])
  checkConditions(
    [...filters.dimensions.map(({ condition }) => condition), ...properties],
    (path, message) => {
      throw invalidField('segment', `With the segments, ${path.join('.')} ${message}`)
    },
  )
  return filters
}
