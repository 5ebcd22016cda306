import { z } from 'zod'
import { ratio } from '../../lib/numbers.ts'
import { count, decimal } from '../../schema/fields.ts'
import { requiredText } from '../../schema/validation.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { ScrollCounts } from '../counts/heat.ts'
import { checkStats, statsFields } from '../filters/query.ts'
import { readLongs } from '../people/long-array.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'

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

interface ScrollRow {
  /** null: of pageviews without engagement */
  scroll: number | null
  pageviews: number
  engaged: number
  twiceMedianMs: number | null
  times: Buffer | null
}

const measureScroll = filteredQuery<{ isSliced: number }, ScrollRow>('measure-scroll', ['page_reads'])

/** Returns how far the pageviews of a path were scrolled. */
export async function getScroll(
  services: StatsServices,
  site: StatsSite,
  { path, ...query }: ScrollQuery,
): Promise<ScrollReport> {
  const { resolved } = await resolveContext(services, site, query)
  const counted = await countAsked(services, resolved, 'scroll', { path })
  if (counted) return presentScroll(counted)
  const params = { isSliced: services.slices ? 1 : 0 }
  const rows = await readSlices(services, measureScroll, resolved, { heat: { path }, params })
  const read = rows.filter((row): row is ScrollRow & { scroll: number } => row.scroll !== null)
  const engaged = read.reduce((sum, row) => sum + row.engaged, 0)
  const scrolled = read.reduce((sum, row) => sum + row.scroll * row.engaged, 0)
  const twiceMedianMs = services.slices ? twiceMedian(rows) : (read[0]?.twiceMedianMs ?? 0)
  return {
    pageviews: rows.reduce((sum, row) => sum + row.pageviews, 0),
    engaged_pageviews: engaged,
    scroll_depth: engaged === 0 ? null : ratio(scrolled, engaged, 2),
    median_engaged_seconds: engaged === 0 ? null : ratio(twiceMedianMs, 2_000, 2),
    reached: DEPTHS.map(depth => {
      const pageviews = read.reduce((sum, row) => sum + (row.scroll >= depth ? row.engaged : 0), 0)
      return { depth, pageviews, share: ratio(100 * pageviews, engaged, 2) }
    }),
  }
}

function presentScroll({ pageviews, depths, engagedMs }: ScrollCounts): ScrollReport {
  const engaged = depths.length
  const scrolled = depths.reduce((sum, depth) => sum + depth, 0)
  return {
    pageviews,
    engaged_pageviews: engaged,
    scroll_depth: engaged === 0 ? null : ratio(scrolled, engaged, 2),
    median_engaged_seconds: engaged === 0 ? null : ratio(twiceMedianOf(engagedMs), 2_000, 2),
    reached: DEPTHS.map(depth => {
      const reached = depths.reduce((sum, each) => sum + (each >= depth ? 1 : 0), 0)
      return { depth, pageviews: reached, share: ratio(100 * reached, engaged, 2) }
    }),
  }
}

/** Returns twice the median of the engaged times of all slices; 0 without any. */
function twiceMedian(rows: ScrollRow[]): number {
  const times = rows.flatMap(({ times, engaged }) =>
    times ? Array.from({ length: engaged }, (_, index) => readLongs(times)(index)) : [],
  )
  return twiceMedianOf(times)
}

function twiceMedianOf(times: number[]): number {
  times.sort((a, b) => a - b)
  const middle = times.length / 2
  return (times[Math.ceil(middle) - 1] ?? 0) + (times[Math.floor(middle)] ?? 0)
}
