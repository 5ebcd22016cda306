import { z } from 'zod'
import { count, decimal, label } from '../infra/fields.ts'
import { type Page, pageFields, windowOf } from '../infra/pagination.ts'
import { requiredText } from '../infra/validation.ts'
import { hasHitFilters } from './filters/conditions.ts'
import { StatsQuery } from './filters/query.ts'
import { readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { ratio } from './numbers.ts'
import { boundsOf, type Question, readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { pageOf } from './ranking.ts'
import { seriesBuckets } from './time/range.ts'
import { Group, Labels } from './timeseries.ts'
import { bounceRate } from './traffic.ts'

export const PageTitlesQuery = StatsQuery.safeExtend(pageFields(25))
export type PageTitlesQuery = z.infer<typeof PageTitlesQuery>

/** @see spec.md "Page title row" */
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

interface RankedTitle {
  title: string
  pageviews: number
  sessions: number
  bounces: number
}

/** What titles were seen, by sessions; ties by pageviews, then by title. */
export async function getPageTitles(
  services: StatsServices,
  site: StatsSite,
  query: PageTitlesQuery,
): Promise<Page<PageTitleRow>> {
  const question = await readQuestion(services, site, query)
  const ranked = await readKept<RankedTitle & { total: number }>(
    services.reads,
    'rank-kept-titles',
    question.scope,
    { asked: windowOf(query) },
  )
  const { rows, total } = pageOf(ranked, 'title')
  if (rows.length === 0) return { rows: [], total }
  const details = await readDetails(
    services,
    question,
    rows.map(row => row.title),
  )
  return { rows: rows.map(row => presentTitle(row, details)), total }
}

type Details = Awaited<ReturnType<typeof readDetails>>

/** What a page of titles shows beside its ranking. */
async function readDetails(
  { reads }: Pick<StatsServices, 'reads'>,
  { scope, scopeBefore }: Question,
  titles: string[],
) {
  const [places, engagement, before] = await Promise.all([
    locateTitles(reads, scope, titles),
    readKept<{ title: string; engagedMs: number; sessions: number }>(
      reads,
      hasHitFilters(scope) ? 'measure-kept-titles' : 'measure-seen-titles',
      scope,
      { titles },
    ),
    readKept<{ title: string; sessions: number }>(reads, 'sum-kept-titles', scopeBefore, { titles }),
  ])
  return {
    places: new Map(places.map(row => [row.title, row])),
    engagement: new Map(engagement.map(row => [row.title, row])),
    before: new Map(before.map(row => [row.title, row.sessions])),
  }
}

interface Place {
  title: string
  path: string
  hostname: string
}

/** The newest part of a range that is looked through first. */
const RECENT_SHARE = 1 / 16

/** Where titles were seen last. Most of those of a page were so lately: only the others are looked for in all of the range. */
async function locateTitles(reads: StatsServices['reads'], scope: Scope, titles: string[]): Promise<Place[]> {
  const { start, end } = scope
  const recently = new Date(end.getTime() - (end.getTime() - start.getTime()) * RECENT_SHARE)
  const found = await readKept<Place>(reads, 'locate-recent-titles', scope, {
    slice: { start: recently, end },
    titles,
  })
  const isFound = new Set(found.map(({ title }) => title))
  const others = titles.filter(title => !isFound.has(title))
  if (others.length === 0) return found
  return [...found, ...(await readKept<Place>(reads, 'locate-kept-titles', scope, { titles: others }))]
}

function presentTitle(row: RankedTitle, { places, engagement, before }: Details): PageTitleRow {
  const { title, pageviews, sessions, bounces } = row
  const place = places.get(title)
  const engaged = engagement.get(title)
  const sessionsBefore = before.get(title) ?? 0
  return {
    title,
    path: place?.path ?? '',
    hostname: place?.hostname ?? '',
    pageviews,
    sessions,
    bounce_rate: bounceRate(bounces, sessions),
    time_on_page_seconds: engaged ? ratio(engaged.engagedMs, 1000 * engaged.sessions, 2) : null,
    sessions_previous: sessionsBefore,
    sessions_change_pct:
      sessionsBefore === 0 ? null : ratio(100 * (sessions - sessionsBefore), sessionsBefore, 1),
  }
}

export const PageTitleTimeseriesQuery = StatsQuery.safeExtend({
  title: requiredText(2_048).meta({ description: 'Exactly the title.', example: 'Pricing' }),
})
export type PageTitleTimeseriesQuery = z.infer<typeof PageTitleTimeseriesQuery>

/** @see spec.md "GET /stats/page-titles/timeseries" */
export const PageTitleTimeseries = z.object({
  labels: Labels,
  values: z.array(z.int()).meta({ description: 'Sessions in each bucket.', example: [26, 28] }),
  group: Group,
})
export type PageTitleTimeseries = z.infer<typeof PageTitleTimeseries>

/** Sessions that saw a title, each in the bucket in which it started. */
export async function getPageTitleTimeseries(
  services: StatsServices,
  site: StatsSite,
  { title, ...query }: PageTitleTimeseriesQuery,
): Promise<PageTitleTimeseries> {
  const { range, scope } = await readQuestion(services, site, query)
  const all = seriesBuckets(range)
  const values = all.map(() => 0)
  if (all.length > 0) {
    const asked = { bounds: boundsOf(all) }
    const rows = await readKept<{ bucket: number; sessions: number }>(
      services.reads,
      'count-kept-titles',
      scope,
      { asked, titles: [title] },
    )
    for (const { bucket, sessions } of rows) values[bucket] = sessions
  }
  return { labels: all.map(({ label }) => label), values, group: range.group }
}
