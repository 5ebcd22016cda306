import { z } from 'zod'
import { count, label } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { CauseCount } from '../counts/vitals.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { poorAbove } from './measures.ts'
import { metricField } from './vitals-fields.ts'

export const WebVitalsAttributionQuery = StatsQuery.safeExtend({ ...metricField, ...pageFields(25) })
export type WebVitalsAttributionQuery = z.infer<typeof WebVitalsAttributionQuery>

/** @see docs/metrics.md "Web Vitals" */
export const WebVitalsCause = z
  .object({
    path: label('Path of the page.', '/pricing'),
    target: label('CSS selector of the element that decided the value; `(none)` if unknown.', '#hero > img'),
    phase: label('The longest part of the time; `(none)` if unknown.', 'resource_load_duration'),
    samples: count('Reports with a poor value.', 12),
  })
  .meta({ id: 'WebVitalsCause' })
export type WebVitalsCause = z.infer<typeof WebVitalsCause>

/** Returns what decided the poor values of a metric, the most frequent first. */
export async function getWebVitalsAttribution(
  services: StatsServices,
  site: StatsSite,
  { metric, ...query }: WebVitalsAttributionQuery,
): Promise<Page<WebVitalsCause>> {
  const { resolved } = await resolveContext(services, site, query)
  const asked = { metric, above: poorAbove(metric) }
  const causes = await countAsked(services, keptPart(resolved), 'vitalCauses', asked)
  causes.sort(
    (a, b) =>
      b.samples - a.samples ||
      compareTexts(a.path, b.path) ||
      compareTexts(a.target, b.target) ||
      compareTexts(a.phase, b.phase),
  )
  const { limit, offset } = windowOf(query)
  return { rows: causes.slice(offset, offset + limit).map(present), total: causes.length }
}

const present = ({ path, target, phase, samples }: CauseCount): WebVitalsCause => ({
  path,
  target: target || '(none)',
  phase: phase || '(none)',
  samples,
})
