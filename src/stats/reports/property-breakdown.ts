import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../dimensions/event-types.ts'
import { propertiesOf, readProperty } from '../../dimensions/rolled-up.ts'
import { isLifecycleName, isReservedName } from '../../events/reserved-names.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { count, label } from '../../schema/fields.ts'
import { requiredText } from '../../schema/validation.ts'
import { mayShow } from '../../sharing/grant.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { checkStats, statsFields } from '../filters/query.ts'
import { rank, type ValueCounts } from '../metrics/rank.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'

const MOST_ROWS = 50

const NAMED_TYPES = EVENT_TYPES.filter((type): type is Exclude<EventType, 'pageview'> => type !== 'pageview')

export const PropertyBreakdownQuery = z
  .object({
    ...statsFields,
    event_type: z.enum(NAMED_TYPES).meta({ description: 'Type of the events.' }),
    event_name: requiredText(255).meta({ description: 'Exactly the name.', example: 'signup' }),
  })
  .superRefine(checkStats)
export type PropertyBreakdownQuery = z.infer<typeof PropertyBreakdownQuery>

/** @see docs/metrics.md "Property breakdown" */
export const PropertyBreakdown = z.object({
  rows: z
    .array(
      z.object({
        key: label('Name of the property.', 'plan'),
        value: label('Its value.', 'team'),
        visitors: count('Distinct visitors with it.', 5),
      }),
    )
    .max(MOST_ROWS)
    .meta({ description: 'Most visitors first.' }),
})
export type PropertyBreakdown = z.infer<typeof PropertyBreakdown>

/** Properties of the hits of one type and name, by the number of visitors that sent them; `value` as in daily rollups. */
const rankFilteredProperties = filteredQuery<
  { eventType: string; eventName: string; limit: number },
  ValueCounts<'visitors'>
>(
  'rank-filtered-properties',
  ['filtered_hits'],
  `select
    jsonb_build_array(property.key, property.value)::text as value,
    count(distinct visitor_no) as visitors
  from filtered_hits
  cross join lateral jsonb_each_text(props) as property
  where type = (select "eventType" from params) and name = (select "eventName" from params)
  group by property.key, property.value
  order by count(distinct visitor_no) desc, property.key collate "C", property.value collate "C"
  limit (select "limit" from params)`,
)

/** Returns the first 50 properties of the events of a type and name, most distinct visitors first; ties by key and value. */
export async function getPropertyBreakdown(
  services: StatsServices,
  site: StatsSite,
  { event_type: eventType, event_name: eventName, ...query }: PropertyBreakdownQuery,
): Promise<PropertyBreakdown> {
  const { resolved } = await resolveContext(services, site, query)
  // As for a name that no event has.
  if (isLifecycleName(eventName) && !mayShow(services.grant, 'revenue')) return { rows: [] }
  const counted = await countFiltered(services, resolved, 'properties', { eventType, eventName })
  if (counted) {
    const byVisitors = counted.sort(
      (a, b) => b.visitors - a.visitors || compareTexts(a.key, b.key) || compareTexts(a.value, b.value),
    )
    return { rows: byVisitors.slice(0, MOST_ROWS) }
  }
  const params = { eventType, eventName, limit: MOST_ROWS }
  const { rows } = await rank<'visitors'>(services, resolved, {
    // Rollups do not contain events that the service writes.
    dimension: isReservedName(eventName) ? undefined : propertiesOf(eventType, eventName),
    by: ['visitors'],
    shown: ['hits'],
    limit: MOST_ROWS,
    offset: 0,
    rankRows: () => rankFilteredProperties(services.reads, resolved, { params }),
  })
  return { rows: rows.map(({ value, visitors }) => ({ ...readProperty(value), visitors })) }
}
