import { z } from 'zod'
import { DIMENSIONS, isHitDimension, sectionOf } from '../../platform/dimensions/dimensions.ts'
import { label } from '../../platform/schema/fields.ts'
import { integerParameter } from '../../platform/schema/pagination.ts'
import { isLifecycleName, LIFECYCLE_NAMES } from '../../storage/events/reserved-names.ts'
import { requireFilters } from '../filters/granted.ts'
import { filtersOf, StatsQuery } from '../filters/stats-query.ts'
import { rankRolledUp } from '../metrics/rank.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { checkPatterns } from '../resolve/resolve.ts'
import { mayShow, requireSection } from '../sharing/grant.ts'

export const FilterValuesQuery = StatsQuery.safeExtend({
  dimension: z.enum(DIMENSIONS).meta({ description: 'Whose values.' }),
  limit: integerParameter(1, 1_000).prefault(1_000).meta({ description: 'Most values.' }),
})
export type FilterValuesQuery = z.infer<typeof FilterValuesQuery>

/** @see docs/metrics.md "Filter values" */
export const FilterValues = z.object({
  values: z
    .array(
      z.object({
        value: label('What to filter by.', '/pricing'),
        label: label('Text to show; the same as `value`.', '/pricing'),
      }),
    )
    .meta({ description: 'Most frequent first.' }),
})
export type FilterValues = z.infer<typeof FilterValues>

/** Returns the values of a dimension, most hits or sessions first; the filter on this dimension itself is not applied. */
export async function getFilterValues(
  services: StatsServices,
  site: StatsSite,
  { dimension, limit, ...query }: FilterValuesQuery,
): Promise<FilterValues> {
  const { grant } = services
  requireSection(grant, sectionOf(dimension))
  requireFilters(grant, filtersOf(query))
  const others = {
    ...query,
    [dimension]: undefined,
    ...(dimension === 'utm_campaign' && { campaign: undefined }),
  }
  await checkPatterns(services, site, { [dimension]: query[dimension], campaign: query.campaign })
  const { resolved } = await resolveContext(services, site, others)
  const column = isHitDimension(dimension) ? 'hits' : 'sessions'
  // Names of events of money are cut out afterwards: a filter would keep the read from the rollups.
  const hidesMoney = dimension === 'event_name' && !mayShow(grant, 'revenue')
  const page = { limit: hidesMoney ? limit + LIFECYCLE_NAMES.length : limit, offset: 0 }
  const rolledUp = await rankRolledUp(services, resolved, {
    dimension,
    by: [column],
    shown: [column],
    leavesOutEmpty: true,
    ...page,
  })
  const { rows } =
    rolledUp ??
    (await countUntilRolledUp(services, resolved, 'frequent', { dimension, ...page }, { dimension }))
  const shown = hidesMoney ? rows.filter(({ value }) => !isLifecycleName(value)).slice(0, limit) : rows
  return { values: shown.map(({ value }) => ({ value, label: value })) }
}
