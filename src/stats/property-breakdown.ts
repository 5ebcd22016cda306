import { z } from 'zod'
import { count, label } from '../infra/fields.ts'
import { requiredText } from '../infra/validation.ts'
import { EVENT_TYPES, type EventType } from '../ingestion/hit.ts'
import { isReservedName } from '../ingestion/reserved-names.ts'
import { propertiesOf, readProperty } from '../rollups/daily/dimensions.ts'
import { StatsQuery } from './filters/query.ts'
import { readFiltered } from './filters/rows.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { rankRolledUp } from './rolled-up.ts'

const MOST_ROWS = 50

const NAMED_TYPES = EVENT_TYPES.filter((type): type is Exclude<EventType, 'pageview'> => type !== 'pageview')

export const PropertyBreakdownQuery = StatsQuery.safeExtend({
  event_type: z.enum(NAMED_TYPES).meta({ description: 'Type of the events.' }),
  event_name: requiredText(255).meta({ description: 'Exactly the name.', example: 'signup' }),
})
export type PropertyBreakdownQuery = z.infer<typeof PropertyBreakdownQuery>

/** @see spec.md "GET /stats/events/property-breakdown" */
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
  { event_type, event_name, ...query }: PropertyBreakdownQuery,
): Promise<PropertyBreakdown> {
  const { scope } = await readQuestion(services, site, query)
  // Rollups do not contain events that the service writes.
  const rolledUp = isReservedName(event_name)
    ? undefined
    : await rankRolledUp(services, scope, {
        dimension: propertiesOf(event_type, event_name),
        by: ['visitors'],
        shown: ['hits'],
        limit: MOST_ROWS,
        offset: 0,
      })
  if (rolledUp) {
    return {
      rows: rolledUp.rows.map(({ value: carried, visitors }) => ({ ...readProperty(carried), visitors })),
    }
  }
  const asked = { event_type, event_name, limit: MOST_ROWS }
  const rows = await readFiltered<PropertyBreakdown['rows'][number]>(
    services.reads,
    'rank-filtered-properties',
    scope,
    { asked },
  )
  return { rows: rows.map(({ key, value, visitors }) => ({ key, value, visitors })) }
}
