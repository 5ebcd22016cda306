import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../platform/dimensions/event-types.ts'
import { propertiesOf, readProperty } from '../../platform/dimensions/rolled-up.ts'
import { count, label } from '../../platform/schema/fields.ts'
import { requiredText } from '../../platform/schema/validation.ts'
import { isLifecycleName, isReservedName } from '../../storage/events/reserved-names.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { checkStats, statsFields } from '../filters/stats-query.ts'
import { rankRolledUp } from '../metrics/rank.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { mayShow } from '../sharing/grant.ts'

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

/** Returns the first 50 properties of the events of a type and name, most distinct visitors first; ties by key and value. */
export async function getPropertyBreakdown(
  services: StatsServices,
  site: StatsSite,
  { event_type: eventType, event_name: eventName, ...query }: PropertyBreakdownQuery,
): Promise<PropertyBreakdown> {
  const { resolved } = await resolveContext(services, site, query)
  // As for a name that no event has.
  if (isLifecycleName(eventName) && !mayShow(services.grant, 'revenue')) return { rows: [] }
  // Rollups do not contain events that the service writes.
  const dimension = propertiesOf(eventType, eventName)
  const rolledUp = isReservedName(eventName)
    ? undefined
    : await rankRolledUp(services, resolved, {
        dimension,
        by: ['visitors'],
        shown: ['hits'],
        limit: MOST_ROWS,
        offset: 0,
      })
  if (rolledUp) {
    return { rows: rolledUp.rows.map(({ value, visitors }) => ({ ...readProperty(value), visitors })) }
  }
  const asked = { eventType, eventName }
  const counted = await countUntilRolledUp(services, resolved, 'properties', asked, { dimension })
  const byVisitors = counted.sort(
    (a, b) => b.visitors - a.visitors || compareTexts(a.key, b.key) || compareTexts(a.value, b.value),
  )
  return { rows: byVisitors.slice(0, MOST_ROWS) }
}
