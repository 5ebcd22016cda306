import { z } from 'zod'
import { statement } from '../infra/db.ts'
import { count, decimal, label } from '../infra/fields.ts'
import { type Page, pageFields, windowOf } from '../infra/pagination.ts'
import { requiredText } from '../infra/validation.ts'
import type { RankedValue } from '../rollups/protocol.ts'
import { StatsQuery } from './filters/query.ts'
import { readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { countFolded, rankFolded } from './folded.ts'
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

interface CountedTitle {
  title: string
  pageviews: number
  sessions: number
  bounces: number
}

interface Place {
  title: string
  path: string
  hostname: string
}

const locateTitles = statement<Place>('locate-titles')

/** What titles were seen, by sessions; ties by pageviews, then by title. */
export async function getPageTitles(
  services: StatsServices,
  site: StatsSite,
  query: PageTitlesQuery,
): Promise<Page<PageTitleRow>> {
  const question = await readQuestion(services, site, query)
  const folded = await rankFolded(services, question.scope, {
    dimension: 'title',
    by: ['sessions', 'pageviews'],
    shown: ['sessions', 'pageviews'],
    leavesOutEmpty: true,
    ...windowOf(query),
  })
  if (folded) return { rows: await detailFolded(services, question, folded.rows), total: folded.total }
  const ranked = await readKept<CountedTitle & { total: number }>(
    services.reads,
    'rank-kept-titles',
    question.scope,
    { asked: windowOf(query) },
  )
  const { rows, total } = pageOf(ranked, 'title')
  return { rows: rows.length > 0 ? await detailKept(services, question, rows) : [], total }
}

/** What a page of titles shows beside its ranking, from the days' folds. */
async function detailFolded(
  services: StatsServices,
  { scope, scopeBefore }: Question,
  rows: RankedValue[],
): Promise<PageTitleRow[]> {
  if (rows.length === 0) return []
  const titles = rows.map(({ value }) => value)
  const seen = rows.filter(({ lastAt }) => lastAt > 0)
  const [located, elsewhere, before] = await Promise.all([
    locateTitles(
      services.reads,
      scope.siteNo,
      seen.map(({ value }) => value),
      seen.map(({ lastAt }) => lastAt),
    ),
    locateKept(
      services,
      scope,
      rows.flatMap(({ value, lastAt }) => (lastAt > 0 ? [] : [value])),
    ),
    countBefore(services, scopeBefore, titles),
  ])
  const places = new Map([...located, ...elsewhere].map(row => [row.title, row]))
  return rows.map(({ value: title, bounces, pageviews, sessions, engagedMs, engagedSessions }) =>
    presentTitle(
      { title, pageviews, sessions, bounces },
      {
        place: places.get(title),
        engaged: { engagedMs, sessions: engagedSessions },
        sessionsBefore: before.get(title) ?? 0,
      },
    ),
  )
}

/** The same, from the hits that pass the filters. */
async function detailKept(
  services: StatsServices,
  { scope, scopeBefore }: Question,
  rows: CountedTitle[],
): Promise<PageTitleRow[]> {
  const titles = rows.map(row => row.title)
  const [located, engagements, before] = await Promise.all([
    locateKept(services, scope, titles),
    readKept<{ title: string; engagedMs: number; sessions: number }>(
      services.reads,
      'measure-kept-titles',
      scope,
      { asked: { titles } },
    ),
    countKeptBefore(services, scopeBefore, titles),
  ])
  const places = new Map(located.map(row => [row.title, row]))
  const engaged = new Map(engagements.map(row => [row.title, row]))
  return rows.map(row =>
    presentTitle(row, {
      place: places.get(row.title),
      engaged: engaged.get(row.title),
      sessionsBefore: before.get(row.title) ?? 0,
    }),
  )
}

async function locateKept({ reads }: StatsServices, scope: Scope, titles: string[]): Promise<Place[]> {
  return titles.length === 0 ? [] : readKept<Place>(reads, 'locate-kept-titles', scope, { asked: { titles } })
}

/** Sessions of the period before that saw each title. */
async function countBefore(
  services: StatsServices,
  scope: Scope,
  titles: string[],
): Promise<Map<string, number>> {
  const folded = await countFolded(services, scope, 'title', titles)
  return folded
    ? new Map(titles.map((title, index) => [title, folded[index]!.sessions]))
    : countKeptBefore(services, scope, titles)
}

async function countKeptBefore(
  { reads }: StatsServices,
  scope: Scope,
  titles: string[],
): Promise<Map<string, number>> {
  const rows = await readKept<{ title: string; sessions: number }>(reads, 'count-kept-titles', scope, {
    asked: { titles, bounds: [scope.start] },
  })
  return new Map(rows.map(row => [row.title, row.sessions]))
}

interface Details {
  place: Place | undefined
  /** Of the sessions that engaged. */
  engaged: { engagedMs: number; sessions: number } | undefined
  sessionsBefore: number
}

function presentTitle(row: CountedTitle, { place, engaged, sessionsBefore }: Details): PageTitleRow {
  const { title, pageviews, sessions, bounces } = row
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
    const asked = { titles: [title], bounds: boundsOf(all) }
    const rows = await readKept<{ bucket: number; sessions: number }>(
      services.reads,
      'count-kept-titles',
      scope,
      { asked },
    )
    for (const { bucket, sessions } of rows) values[bucket] = sessions
  }
  return { labels: all.map(({ label }) => label), values, group: range.group }
}
