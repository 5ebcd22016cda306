import { z } from 'zod'
import { ratio } from '../../platform/lib/numbers.ts'
import { count, decimal } from '../../platform/schema/fields.ts'
import { requiredText } from '../../platform/schema/validation.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { checkStats, statsFields } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'

export const ScrollQuery = z
  .object({
    ...statsFields,
    path: requiredText(2_048, 'must be one path, without operators').meta({
      description: 'Exactly the path.',
      example: '/pricing',
    }),
  })
  .superRefine(checkStats)
export type ScrollQuery = z.infer<typeof ScrollQuery>

/** 5, 10, … 100 percent. */
const DEPTHS = Array.from({ length: 20 }, (_, index) => 5 * (index + 1))

/** @see docs/metrics.md "Scroll of a page" */
export const ScrollReport = z.object({
  pageviews: count('Pageviews of the path in the range.', 240),
  engaged_pageviews: count('Those with engagement.', 200),
  scroll_depth: decimal('Mean deepest scroll of these, percent; null without any.', 61.25).nullable(),
  median_engaged_seconds: decimal(
    'Median engaged time of these, seconds; null without any.',
    18.4,
  ).nullable(),
  reached: z
    .array(
      z.object({
        depth: count('Percent of the height of the page.', 50),
        pageviews: count('Pageviews whose deepest scroll reached it.', 120),
        share: decimal('Percent of the pageviews with engagement.', 60),
      }),
    )
    .meta({ description: 'Each depth of 5, 10, … 100 percent.' }),
})
export type ScrollReport = z.infer<typeof ScrollReport>

/** Returns how far the pageviews of a path were scrolled. */
export async function getScroll(
  services: StatsServices,
  site: StatsSite,
  { path, ...query }: ScrollQuery,
): Promise<ScrollReport> {
  const { resolved } = await resolveContext(services, site, query)
  const { pageviews, depths, engagedMs } = await countAsked(services, resolved, 'scroll', { path })
  const engaged = depths.length
  const scrolled = depths.reduce((sum, depth) => sum + depth, 0)
  return {
    pageviews,
    engaged_pageviews: engaged,
    scroll_depth: engaged === 0 ? null : ratio(scrolled, engaged, 2),
    median_engaged_seconds: engaged === 0 ? null : ratio(twiceMedian(engagedMs), 2_000, 2),
    reached: DEPTHS.map(depth => {
      const reached = depths.reduce((sum, each) => sum + (each >= depth ? 1 : 0), 0)
      return { depth, pageviews: reached, share: ratio(100 * reached, engaged, 2) }
    }),
  }
}

/** Returns twice the median of times; 0 without any. */
function twiceMedian(times: number[]): number {
  times.sort((a, b) => a - b)
  const middle = times.length / 2
  return (times[Math.ceil(middle) - 1] ?? 0) + (times[Math.floor(middle)] ?? 0)
}
