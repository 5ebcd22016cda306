import { z } from 'zod'
import { VITALS, type Vital } from '../../platform/dimensions/vitals.ts'
import { Comparison, checkComparison, previousFields } from '../../platform/time/comparison.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import type { Measured } from './measures.ts'
import { measuredFields } from './vitals-fields.ts'

export const WebVitalsQuery = StatsQuery.safeExtend(previousFields).superRefine(checkComparison)
export type WebVitalsQuery = z.infer<typeof WebVitalsQuery>

const Measures = z.object(measuredFields).meta({ id: 'WebVital' })
const metrics = {
  lcp: Measures.meta({ description: 'Largest Contentful Paint.' }),
  inp: Measures.meta({ description: 'Interaction to Next Paint.' }),
  cls: Measures.meta({ description: 'Cumulative Layout Shift.' }),
  fcp: Measures.meta({ description: 'First Contentful Paint.' }),
  ttfb: Measures.meta({ description: 'Time to First Byte.' }),
} satisfies Record<Vital, z.ZodType>

/** @see docs/metrics.md "Web Vitals" */
export const WebVitals = z
  .object({
    ...metrics,
    previous: z
      .object(metrics)
      .optional()
      .meta({ description: 'The same of the compared period. There when the request has `compare`.' }),
    comparison: Comparison.optional(),
  })
  .meta({ id: 'WebVitals' })
export type WebVitals = z.infer<typeof WebVitals>

/** Returns the numbers of each metric. */
export async function getWebVitals(
  services: StatsServices,
  site: StatsSite,
  query: WebVitalsQuery,
): Promise<WebVitals> {
  const { resolved, resolvedBefore, comparison } = await resolveContext(services, site, query)
  const current = await count(services, resolved)
  return {
    ...current,
    ...(comparison && { previous: await count(services, resolvedBefore), comparison }),
  }
}

async function count(services: StatsServices, resolved: ResolvedQuery): Promise<Record<Vital, Measured>> {
  const measured = await countAsked(services, keptPart(resolved), 'vitals', { metrics: VITALS })
  return Object.fromEntries(VITALS.map((metric, index) => [metric, measured[index]!])) as Record<
    Vital,
    Measured
  >
}
