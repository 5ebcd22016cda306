import { z } from 'zod'
import {
  BREAKDOWN_DIMENSIONS,
  type BreakdownDimension,
  sectionOf,
} from '../../platform/dimensions/dimensions.ts'
import { label } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { requireSection } from '../sharing/grant.ts'
import { measuredFields, metricField } from './vitals-fields.ts'

/** A report belongs to a pageview, which has no event name. */
const VITAL_DIMENSIONS = BREAKDOWN_DIMENSIONS.filter(
  (name): name is Exclude<BreakdownDimension, 'event_name'> => name !== 'event_name',
)

export const WebVitalsBreakdownQuery = StatsQuery.safeExtend({
  ...metricField,
  dimension: z.enum(VITAL_DIMENSIONS).meta({ description: 'What to break down by.' }),
  sort: z
    .enum(['samples', 'p75'])
    .default('samples')
    .meta({ description: 'Most samples first, or highest 75th percentile first.' }),
  ...pageFields(25),
})
export type WebVitalsBreakdownQuery = z.infer<typeof WebVitalsBreakdownQuery>

/** @see docs/metrics.md "Web Vitals" */
export const WebVitalsRow = z
  .object({
    value: label('Value of the dimension; `(none)` for the empty one.', '/pricing'),
    ...measuredFields,
  })
  .meta({ id: 'WebVitalsRow' })
export type WebVitalsRow = z.infer<typeof WebVitalsRow>

/**
 * Returns the numbers of a metric for each value of a dimension.
 * @throws AppError `forbidden` for a dimension of a section that the reader may not see
 */
export async function getWebVitalsBreakdown(
  services: StatsServices,
  site: StatsSite,
  { metric, dimension, sort, ...query }: WebVitalsBreakdownQuery,
): Promise<Page<WebVitalsRow>> {
  requireSection(services.grant, sectionOf(dimension))
  const { resolved } = await resolveContext(services, site, query)
  const asked = { metric, dimension, zone: site.timezone }
  const measured = await countAsked(services, keptPart(resolved), 'vitalValues', asked)
  measured.sort((a, b) => b[sort]! - a[sort]! || b.samples - a.samples || compareTexts(a.value, b.value))
  const { limit, offset } = windowOf(query)
  const page = measured.slice(offset, offset + limit)
  return { rows: page.map(row => ({ ...row, value: row.value || '(none)' })), total: measured.length }
}
