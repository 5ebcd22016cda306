import { z } from 'zod'
import { VITALS } from '../../platform/dimensions/vitals.ts'
import { count, decimal } from '../../platform/schema/fields.ts'

export const metricField = {
  metric: z
    .enum(VITALS)
    .meta({ description: 'Largest Contentful Paint, Interaction to Next Paint, and so on.' }),
}

const percentile = (which: string, example: number) =>
  decimal(`${which}; milliseconds, but \`cls\` has no unit. Null without samples.`, example).nullable()

/** @see docs/metrics.md "Web Vitals" */
export const measuredFields = {
  samples: count('Reports with the metric.', 412),
  p50: percentile('Median', 1_320),
  p75: percentile('75th percentile', 2_180),
  p95: percentile('95th percentile', 4_410),
  good: decimal('Percent of the samples that are good.', 81.07),
  needs_improvement: decimal('Percent of the samples that are neither good nor poor.', 12.38),
  poor: decimal('Percent of the samples that are poor.', 6.55),
}
