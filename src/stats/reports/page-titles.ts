import { z } from 'zod'
import { ratio } from '../../lib/numbers.ts'
import { count, decimal, label } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import { StatsQuery } from '../filters/query.ts'
import { isUnfiltered } from '../filters/resolved-query.ts'
import { type PageWindow, rank } from '../metrics/rank.ts'
import { bounceRate } from '../metrics/traffic.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { withReach } from '../sql/reach.ts'
import { readSlices } from '../sql/slices.ts'
import {
  countFilteredTitles,
  countLikelyBefore,
  countSessionsBefore,
  countTitlesByColumns,
  findEngagement,
  locateTitles,
  type RankedTitle,
  type TitleColumn,
} from './title-details.ts'

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

/** One page of titles, by sessions. */
const rankFilteredTitles = filteredQuery<PageWindow, RankedTitle & { total: number }>(
  'rank-filtered-titles',
  ['matching_rows', 'filtered_sessions'],
)

/** Returns the titles, most sessions first; ties by pageviews, then by title. */
export async function getPageTitles(
  services: StatsServices,
  site: StatsSite,
  query: PageTitlesQuery,
): Promise<Page<PageTitleRow>> {
  const { resolved, resolvedBefore } = await resolveContext(services, site, query)
  const params = windowOf(query)
  const isAtOnce = !isUnfiltered(resolved) && !services.slices
  const [{ rows, total }, likelyBefore] = await Promise.all([
    rank<TitleColumn>(services, resolved, {
      dimension: 'title',
      by: ['sessions', 'pageviews'],
      shown: ['sessions', 'pageviews'],
      leavesOutEmpty: true,
      ...params,
      rankRows: () => rankFilteredTitles(services.reads, withReach(services, resolved), { params }),
      countColumns: () => countTitlesByColumns(services, resolved),
      countSlices: () => readSlices(services, countFilteredTitles, withReach(services, resolved)),
    }),
    // Only the first page is likely to show the most frequent titles of the period before.
    isAtOnce && params.offset === 0 ? countLikelyBefore(services, resolvedBefore) : undefined,
  ])
  if (rows.length === 0) return { rows: [], total }
  const [places, engagement, before] = await Promise.all([
    locateTitles(services, resolved, rows),
    findEngagement(services, resolved, rows),
    countSessionsBefore(
      services,
      resolvedBefore,
      rows.map(({ value }) => value),
      likelyBefore,
    ),
  ])
  return {
    rows: rows.map(({ value: title, pageviews, sessions, bounces }) => {
      const { path = '', hostname = '' } = places.get(title) ?? {}
      const engaged = engagement.get(title)
      const sessionsBefore = before.get(title) ?? 0
      return {
        title,
        path,
        hostname,
        pageviews,
        sessions,
        bounce_rate: bounceRate(bounces, sessions),
        time_on_page_seconds: engaged?.engagedSessions
          ? ratio(engaged.engagedMs, 1000 * engaged.engagedSessions, 2)
          : null,
        sessions_previous: sessionsBefore,
        sessions_change_pct:
          sessionsBefore === 0 ? null : ratio(100 * (sessions - sessionsBefore), sessionsBefore, 1),
      }
    }),
    total,
  }
}
