import { bucketing, countsPerBucket } from './recount-buckets.ts'
import type { Kept } from './recount-filters.ts'
import { beforeOf, bounceRate, keptOf, pageviewsOf, type Query } from './recount-metrics.ts'
import { oneDecimal, sum, twoDecimals } from './recount-rounding.ts'
import type { SeriesQuery } from './recount-timeseries.ts'
import { byText, type CountedHit, type Visit, type World } from './recount-world.ts'

/** Every title that was viewed or seen by a session, by sessions, pageviews, title. */
export function recountTitles(world: World, query: Query) {
  const kept = keptOf(world, query)
  const keptBefore = keptOf(world, beforeOf(world, { ...query, compare: undefined }))
  const titles = new Set(world.hits.map(hit => hit.values.title))
  titles.delete('')

  return [...titles]
    .map(title => titleRow(title, kept, keptBefore))
    .filter(row => row.pageviews > 0 || row.sessions > 0)
    .toSorted((a, b) => b.sessions - a.sessions || b.pageviews - a.pageviews || byText(a.title, b.title))
}

function titleRow(title: string, kept: Kept, keptBefore: Kept) {
  const hits = kept.hits.filter(hit => hit.values.title === title)
  const visits = visitsThatSaw(title, kept)
  const before = visitsThatSaw(title, keptBefore).length
  const { path = '', hostname = '' } = newestOf(title, hits, visits, kept)?.values ?? {}
  return {
    title,
    path,
    hostname,
    pageviews: pageviewsOf(hits),
    sessions: visits.length,
    bounce_rate: bounceRate(visits),
    time_on_page_seconds: timeOnPage(title, visits),
    sessions_previous: before,
    sessions_change_pct: before === 0 ? null : oneDecimal(100 * (visits.length - before), before),
  }
}

function visitsThatSaw(title: string, kept: Kept): Visit[] {
  return kept.started.filter(visit => kept.seenBy(visit).some(hit => hit.values.title === title))
}

/** In the range; if only a session that started there saw it later, then. */
function newestOf(title: string, hits: CountedHit[], visits: Visit[], kept: Kept): CountedHit | undefined {
  if (hits.length > 0) return hits.at(-1)
  return visits
    .flatMap(visit => kept.seenBy(visit))
    .filter(hit => hit.values.title === title)
    .toSorted((a, b) => a.at - b.at || byText(a.id, b.id))
    .at(-1)
}

/** Mean of the sessions that have engagement on pageviews with the title, be it of 0 ms. */
export function timeOnPage(
  value: string,
  visits: Visit[],
  dimension: 'path' | 'title' = 'title',
): number | null {
  const perVisit = visits
    .map(visit => visit.engagements.filter(({ pageview }) => pageview.values[dimension] === value))
    .filter(engagements => engagements.length > 0)
  const engagedMs = sum(perVisit.flat().map(engagement => engagement.engagedMs))
  return perVisit.length === 0 ? null : twoDecimals(engagedMs, 1000 * perVisit.length)
}

/** Sessions that saw the title, each once, where it started. */
export function recountTitleSeries(world: World, title: string, query: SeriesQuery) {
  const { group, buckets, labels } = bucketing(world, query)
  const starts = visitsThatSaw(title, keptOf(world, query)).map(visit => visit.startedAt)
  return { labels, values: countsPerBucket(buckets, starts), group }
}
