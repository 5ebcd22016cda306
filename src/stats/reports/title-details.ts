import { query } from '../../db/query.ts'
import type { RankedValue } from '../../rollups/protocol.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import type { TitlePlace } from '../counts/title-places.ts'
import { readHitsByKey } from '../event-log/log-keys.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import { countRolledUp, type ValueCounts } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import { hasHitFilters } from '../sql/conditions.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { withReach } from '../sql/reach.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'

export type TitleColumn = 'pageviews' | 'sessions' | 'bounces' | 'engagedMs' | 'engagedSessions' | 'lastAt'

/** Counts of a title. `lastAt`: time of its latest hit in the range, Unix milliseconds; 0 when all its hits lie after the end. */
export type RankedTitle = ValueCounts<TitleColumn>

/** Counts that `rank-filtered-titles` ranks, for one slice: every title. */
export const countFilteredTitles = filteredQuery<undefined, RankedTitle>('count-filtered-titles', [
  'matching_rows',
  'filtered_sessions',
])

/** Counts all titles from columns; undefined when rows should answer. */
export async function countTitlesByColumns(
  services: Pick<StatsServices, 'counter'>,
  resolved: ResolvedQuery,
): Promise<RankedValue[] | undefined> {
  return countFiltered(services, resolved, 'values', { dimension: 'title', zone: 'UTC' })
}

/** Path and hostname of the latest hit of each title, whose time is known. */
const locateTitlesAt = query<{ siteNo: number; titles: string[]; times: Date[] }, TitlePlace>(
  'locate-titles-at',
  `select latest.title, hit.path, hit.hostname
  from unnest(:titles::text[], :times::timestamptz[]) as latest (title, at)
  -- One index lookup by time for each title: a join would read all hits.
  cross join lateral (
    select path, hostname
    from events
    where site_no = :siteNo::int
      and at = latest.at
      and title = latest.title
      and type not in ('engagement', 'identify')
      and not is_service
    order by id desc
    limit 1
  ) as hit`,
)

/** Path and host of the latest hit of each title, among hits that match the filters. */
const locateFilteredTitlesAt = filteredQuery<{ titles: string[]; times: Date[] }, TitlePlace>(
  'locate-filtered-titles-at',
  ['filtered_hits'],
  `select distinct on (title) title, path, hostname
  from filtered_hits
  join (select unnest(titles) as title, unnest(times) as at from params) as latest using (title, at)
  where not is_service
  order by title, id desc`,
)

/** Path and hostname of the latest hit of each title: of a hit in the range, otherwise of a hit of a filtered session. */
const locateFilteredTitles = filteredQuery<undefined, TitlePlace>('locate-filtered-titles', [
  'filtered_hits',
  'session_hits',
])

/** Returns path and hostname of the latest hit of each title; none for a title whose latest hit is gone. */
export async function locateTitles(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  rows: RankedTitle[],
): Promise<Map<string, TitlePlace>> {
  const { reads } = services
  const { siteNo, detailsFrom } = resolved
  const places = await countFiltered(services, resolved, 'titlePlaces', {
    titles: rows.map(row => row.value),
  })
  if (places) {
    const tied = await readHitsByKey(reads, siteNo, places.tied)
    return new Map([...tied.toReversed(), ...places.found].map(place => [place.title, place]))
  }
  const seen = rows.filter(({ lastAt }) => lastAt > (detailsFrom?.getTime() ?? 0))
  const titles = seen.map(({ value }) => value)
  const times = seen.map(({ lastAt }) => new Date(lastAt))
  // These titles have no hit in the range: sessions that began in the range saw them after its end.
  const seenLater = rows.flatMap(({ value, lastAt }) => (lastAt === 0 ? [value] : []))
  const located = await Promise.all([
    seen.length === 0
      ? []
      : isUnfiltered(resolved)
        ? locateTitlesAt(reads, { siteNo, titles, times })
        : locateFilteredTitlesAt(reads, resolved, { titles, times, params: { titles, times } }),
    seenLater.length === 0 ? [] : locateFilteredTitles(reads, resolved, { titles: seenLater }),
  ])
  return new Map(located.flat().map(row => [row.title, row]))
}

type Engagement = Pick<RankedTitle, 'engagedMs' | 'engagedSessions'>

/** Engaged time on each title in the sessions that saw it, and number of sessions with engagement. */
const measureTitleEngagement = filteredQuery<undefined, Engagement & { title: string }>(
  'measure-title-engagement',
  ['session_hits', 'engagements'],
  `select title, sum(engaged_ms)::float8 as "engagedMs", count(*) as "engagedSessions"
  from (select title, session_no from session_hits group by 1, 2) as seen
  join (
    select title, session_no, sum(engaged_ms) as engaged_ms
    from engagements
    group by 1, 2
  ) as engaged using (title, session_no)
  group by title`,
)

/**
 * Returns the engagement of each title. With filters on hits, the ranking has none: engagement then counts for sessions that saw
 * the title in a matching hit.
 */
export async function findEngagement(
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  resolved: ResolvedQuery,
  rows: RankedTitle[],
): Promise<Map<string, Engagement>> {
  const counted = hasHitFilters(resolved)
    ? await countFiltered(services, resolved, 'values', { dimension: 'title', zone: 'UTC' })
    : rows
  if (counted) return new Map(counted.map(row => [row.value, row]))
  const titles = rows.map(({ value }) => value)
  const measured = await readSlices(services, measureTitleEngagement, resolved, { titles })
  return new Map(mergeSlices(measured, ({ title }) => title).map(row => [row.title, row]))
}

/** Number of sessions of the titles with the most sessions; distinct sessions as in rank-filtered-titles.sql. */
const countFilteredTitleSessions = filteredQuery<{ limit: number }, { title: string; sessions: number }>(
  'count-filtered-title-sessions',
  ['session_hits'],
  `select title, (select count(distinct session_no) from unnest(session_nos) as session_no) as sessions
  from (
    select title, array_agg(session_no) as session_nos
    from session_hits
    where title <> ''
    group by title
  ) as counted
  order by sessions desc
  limit (select "limit" from params)`,
)

const MOST_LIKELY = 1_000

/** Sessions by title. */
interface TitleSessions {
  sessions: Map<string, number>
  /** Whether titles that are absent have none. */
  isComplete: boolean
}

/**
 * Returns the sessions of the most frequent titles of the previous period, which the first page of a ranking probably needs:
 * this read runs in parallel with the ranking.
 */
export const countLikelyBefore = (
  services: Pick<StatsServices, 'reads' | 'rollups' | 'slices' | 'counter'>,
  before: ResolvedQuery,
): Promise<TitleSessions> => countSessions(services, before, { params: { limit: MOST_LIKELY } })

/**
 * Returns the sessions of the titles in the previous period.
 * @param likely result of `countLikelyBefore`, if it was called
 */
export async function countSessionsBefore(
  services: StatsServices,
  before: ResolvedQuery,
  titles: string[],
  likely: TitleSessions | undefined,
): Promise<Map<string, number>> {
  const others = likely ? titles.filter(title => !likely.sessions.has(title)) : titles
  if (likely && (likely.isComplete || others.length === 0)) return likely.sessions
  const rolledUp = await countRolledUp(services, before, 'title', others)
  if (rolledUp) return new Map(rolledUp.map(({ value, sessions }) => [value, sessions]))
  const read = await countSessions(services, before, { params: { limit: others.length }, titles: others })
  return new Map([...(likely?.sessions ?? []), ...read.sessions])
}

async function countSessions(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'slices' | 'counter'>,
  before: ResolvedQuery,
  options: { params: { limit: number }; titles?: string[] },
): Promise<TitleSessions> {
  const counted = await countTitlesByColumns(services, before)
  if (counted) {
    return { sessions: new Map(counted.map(({ value, sessions }) => [value, sessions])), isComplete: true }
  }
  const near = withReach(services, before)
  const rows = await readSlices(services, countFilteredTitleSessions, near, options)
  const merged = mergeSlices(rows, ({ title }) => title)
  const sessions = new Map(merged.map(row => [row.title, row.sessions]))
  return { sessions, isComplete: sessions.size < options.params.limit }
}
