import { z } from 'zod'
import { count, decimal, label } from '../infra/fields.ts'
import { type Page, pageFields, windowOf } from '../infra/pagination.ts'
import { requiredText } from '../infra/validation.ts'
import { StatsQuery } from './filters/query.ts'
import { readFiltered } from './filters/rows.ts'
import { mergeSlices, rankSlices, readSlices } from './filters/slices.ts'
import { ratio } from './numbers.ts'
import { boundsOf, readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { pageOf } from './ranking.ts'
import { rankRolledUp } from './rolled-up.ts'
import { seriesBuckets } from './time/range.ts'
import { Group, Labels } from './timeseries.ts'
import {
  countLikely,
  detailKept,
  detailRolledUp,
  type RankedTitle,
  type TitleDetails,
} from './title-details.ts'
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

/** Returns the titles, most sessions first; ties by pageviews, then by title. */
export async function getPageTitles(
  services: StatsServices,
  site: StatsSite,
  query: PageTitlesQuery,
): Promise<Page<PageTitleRow>> {
  const question = await readQuestion(services, site, query)
  const rolledUp = await rankRolledUp(services, question.scope, {
    dimension: 'title',
    by: ['sessions', 'pageviews'],
    shown: ['sessions', 'pageviews'],
    leavesOutEmpty: true,
    ...windowOf(query),
  })
  if (rolledUp) {
    const details = await detailRolledUp(services, question, rolledUp.rows)
    const rows = rolledUp.rows.map(row => presentTitle({ ...row, title: row.value }, details))
    return { rows, total: rolledUp.total }
  }
  const asked = windowOf(query)
  if (services.slices) {
    const all = await readSlices<CountedTitle & RankedTitle>(services, 'gather-titles', question.scope)
    const shown = mergeSlices(all, ({ title }) => title).filter(
      ({ pageviews, sessions }) => pageviews > 0 || sessions > 0,
    )
    const rows = rankSlices(shown, ['sessions', 'pageviews'], ({ title }) => title, asked)
    const details = await detailKept(services, question, rows, undefined)
    return { rows: rows.map(row => presentTitle(row, details)), total: shown.length }
  }
  const [ranked, likely] = await Promise.all([
    readFiltered<CountedTitle & RankedTitle & { total: number }>(
      services.reads,
      'rank-filtered-titles',
      question.scope,
      { asked },
    ),
    asked.offset === 0 ? countLikely(services, question) : undefined,
  ])
  const { rows, total } = pageOf(ranked, 'title')
  const details = await detailKept(services, question, rows, likely)
  return { rows: rows.map(row => presentTitle(row, details)), total }
}

interface CountedTitle {
  title: string
  pageviews: number
  sessions: number
  bounces: number
}

function presentTitle(row: CountedTitle, { places, engagement, before }: TitleDetails): PageTitleRow {
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
    time_on_page_seconds: engaged?.sessions ? ratio(engaged.engagedMs, 1000 * engaged.sessions, 2) : null,
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

/** Returns the number of sessions that saw a title, by the bucket in which they started. */
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
    const rows = await readSlices<{ bucket: number; sessions: number }>(
      services,
      'count-filtered-titles',
      scope,
      { asked, titles: [title] },
    )
    for (const { bucket, sessions } of rows) values[bucket]! += sessions
  }
  return { labels: all.map(({ label }) => label), values, group: range.group }
}
