import { isHitDimension, sectionOf } from '../../platform/dimensions/dimensions.ts'
import { LIFECYCLE_NAMES } from '../../storage/events/reserved-names.ts'
import type { DimensionFilter } from '../conditions/conditions.ts'
import { type Grant, mayShow, requireSection } from '../sharing/grant.ts'
import type { Filters } from './stats-query.ts'

/** Leaves out the events that the service writes for money. */
export const NO_MONEY_EVENTS: DimensionFilter = {
  dimension: 'event_name',
  condition: { field: 'event_name.is_not', operator: 'is_not', values: [...LIFECYCLE_NAMES] },
}

/** @throws AppError `forbidden` for a filter of a section that the reader may not see */
export function requireFilters(grant: Grant | null, { dimensions, property, goalIds }: Filters): void {
  for (const { dimension } of dimensions) requireSection(grant, sectionOf(dimension))
  if (property) requireSection(grant, 'events')
  if (goalIds.length > 0) requireSection(grant, 'goals')
}

/**
 * Returns the filters of a reader with those of their share. Where hits are compared, events of money are left out for readers
 * without the section `revenue`: a count that changes with a filter would show them.
 * @throws as `requireFilters`
 */
export function grantedFilters(grant: Grant | null, given: Filters): Filters {
  requireFilters(grant, given)
  if (!grant) return given
  const dimensions = [...given.dimensions, ...grant.filters]
  const comparesHits =
    given.property !== undefined || dimensions.some(({ dimension }) => isHitDimension(dimension))
  if (comparesHits && !mayShow(grant, 'revenue')) dimensions.push(NO_MONEY_EVENTS)
  return { ...given, dimensions }
}
