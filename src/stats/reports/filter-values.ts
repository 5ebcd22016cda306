import { z } from 'zod'
import { DIMENSIONS, isHitDimension, sectionOf } from '../../dimensions/dimensions.ts'
import { isLifecycleName, LIFECYCLE_NAMES } from '../../events/reserved-names.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { label } from '../../schema/fields.ts'
import { integerParameter } from '../../schema/pagination.ts'
import { mayShow, requireSection } from '../../sharing/grant.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import type { Frequency } from '../counts/frequencies.ts'
import { requireFilters } from '../filters/granted.ts'
import { filtersOf, StatsQuery } from '../filters/query.ts'
import { rank, type ValueCounts } from '../metrics/rank.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { checkPatterns } from '../resolve/resolve.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'

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

type ValueRelation = 'filtered_hits' | 'filtered_sessions'

const ranked = (relation: ValueRelation) => `select value
  from ${relation}
  where value <> ''
  group by value
  order by count(*) desc, value collate "C"
  limit (select "limit" from params)`

const counted = (relation: ValueRelation, column: string) =>
  `select value, count(*) as ${column} from ${relation} where value <> '' group by value`

const rankHitValues = filteredQuery<{ limit: number }, { value: string }>(
  'rank-hit-values',
  ['filtered_hits'],
  ranked('filtered_hits'),
)
const rankSessionValues = filteredQuery<{ limit: number }, { value: string }>(
  'rank-session-values',
  ['filtered_sessions'],
  ranked('filtered_sessions'),
)
const countHitsByValue = filteredQuery<undefined, ValueCounts<'hits'>>(
  'count-hits-by-value',
  ['filtered_hits'],
  counted('filtered_hits', 'hits'),
)
const countSessionsByValue = filteredQuery<undefined, ValueCounts<'sessions'>>(
  'count-sessions-by-value',
  ['filtered_sessions'],
  counted('filtered_sessions', 'sessions'),
)

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
  const isOfHits = isHitDimension(dimension)
  const column = isOfHits ? 'hits' : 'sessions'
  // Names of events of money are cut out afterwards: a filter would keep the read from the rollups.
  const hidesMoney = dimension === 'event_name' && !mayShow(grant, 'revenue')
  const most = hidesMoney ? limit + LIFECYCLE_NAMES.length : limit
  const rankRows = isOfHits ? rankHitValues : rankSessionValues
  const frequencies = await countFiltered(services, resolved, 'frequencies', { dimension })
  const { rows } = frequencies
    ? { rows: mostFrequent(frequencies, most) }
    : await rank<'value'>(services, resolved, {
        dimension,
        by: [column],
        shown: [column],
        leavesOutEmpty: true,
        limit: most,
        offset: 0,
        rankRows: () => rankRows(services.reads, resolved, { params: { limit: most }, value: dimension }),
        countSlices: () =>
          isOfHits
            ? readSlices(services, countHitsByValue, resolved, { value: dimension })
            : readSlices(services, countSessionsByValue, resolved, { value: dimension }),
      })
  const shown = hidesMoney ? rows.filter(({ value }) => !isLifecycleName(value)).slice(0, limit) : rows
  return { values: shown.map(({ value }) => ({ value, label: value })) }
}

const mostFrequent = (all: Frequency[], most: number): Frequency[] =>
  all.sort((a, b) => b.count - a.count || compareTexts(a.value, b.value)).slice(0, most)
