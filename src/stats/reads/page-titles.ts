import { z } from 'zod'
import { ratio } from '../../platform/lib/numbers.ts'
import { count, decimal, label } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { bounceRate } from '../metrics/traffic-metrics.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { countTitles, locateTitles, rankTitles } from './title-details.ts'

export const PageTitlesQuery = StatsQuery.safeExtend(pageFields(25))
export type PageTitlesQuery = z.infer<typeof PageTitlesQuery>

/** @see docs/metrics.md "Page titles" */
export const PageTitleRow = z
  .object({
    title: label('Title of the document.', 'Pricing'),
    path: label('The path it was last seen at.', '/pricing'),
    hostname: label('The host it was last seen at.', 'example.com'),
    pageviews: count('Pageviews in the range.', 61),
    sessions: count('Sessions that started in the range and saw it.', 54),
    bounce_rate: decimal('Percentage of those with exactly one pageview.', 33.33),
    time_on_page_seconds: decimal('Mean engaged time; null without any engagement.', 41.2).nullable(),
    sessions_previous: count('Sessions of as many days just before.', 50),
    sessions_change_pct: decimal('Percent against those; null when there were none.', 8).nullable(),
  })
  .meta({ id: 'PageTitleRow' })
export type PageTitleRow = z.infer<typeof PageTitleRow>

/** Returns the titles, most sessions first; ties by pageviews, then by title. */
export async function getPageTitles(
  services: StatsServices,
  site: StatsSite,
  query: PageTitlesQuery,
): Promise<Page<PageTitleRow>> {
  const { resolved, resolvedBefore } = await resolveContext(services, site, query)
  const { rows, total } = await rankTitles(services, resolved, windowOf(query))
  if (rows.length === 0) return { rows: [], total }
  const titles = rows.map(({ value }) => value)
  const [places, before] = await Promise.all([
    locateTitles(services, resolved, rows),
    countTitles(services, resolvedBefore, titles),
  ])
  return {
    rows: rows.map(({ value: title, pageviews, sessions, bounces, engagedMs, engagedSessions }) => {
      const { path = '', hostname = '' } = places.get(title) ?? {}
      const sessionsBefore = before.get(title)?.sessions ?? 0
      return {
        title,
        path,
        hostname,
        pageviews,
        sessions,
        bounce_rate: bounceRate(bounces, sessions),
        time_on_page_seconds: engagedSessions ? ratio(engagedMs, 1000 * engagedSessions, 2) : null,
        sessions_previous: sessionsBefore,
        sessions_change_pct:
          sessionsBefore === 0 ? null : ratio(100 * (sessions - sessionsBefore), sessionsBefore, 1),
      }
    }),
    total,
  }
}
