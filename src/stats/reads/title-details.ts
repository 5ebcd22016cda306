import { query } from '../../platform/db/query.ts'
import type { Page } from '../../platform/schema/pagination.ts'
import type { RankedValue } from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { TitlePlace } from '../counts/title-places.ts'
import { readHitsByKey } from '../event-log/log-keys.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { countRolledUp, type PageWindow, rankRolledUp } from '../metrics/rank.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'

type CountServices = Pick<StatsServices, 'reads' | 'rollups' | 'counter'>

/** Returns one page of titles, most sessions first; ties by pageviews, then by title. */
export async function rankTitles(
  services: CountServices,
  resolved: ResolvedQuery,
  page: PageWindow,
): Promise<Page<RankedValue>> {
  const rolledUp = await rankRolledUp(services, resolved, {
    dimension: 'title',
    by: ['sessions', 'pageviews'],
    shown: ['sessions', 'pageviews'],
    leavesOutEmpty: true,
    ...page,
  })
  return rolledUp ?? countUntilRolledUp(services, resolved, 'titlePage', page, { dimension: 'title' })
}

/** Returns the counts of titles; some may be absent, and others be there. */
export async function countTitles(
  services: CountServices,
  resolved: ResolvedQuery,
  titles: string[],
): Promise<Map<string, RankedValue>> {
  const asked = { dimension: 'title' as const, zone: 'UTC', values: titles }
  const counted =
    (await countRolledUp(services, resolved, 'title', titles)) ??
    (await countUntilRolledUp(services, resolved, 'givenValues', asked, asked))
  return new Map(counted.map(row => [row.value, row]))
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

/**
 * Returns path and hostname of the latest hit of each title; none for a title whose latest hit is gone.
 * @param titles with the time of their latest hits in the range, Unix milliseconds; 0 when all lie after its end
 */
export async function locateTitles(
  services: CountServices,
  resolved: ResolvedQuery,
  titles: Pick<RankedValue, 'value' | 'lastAt'>[],
): Promise<Map<string, TitlePlace>> {
  const { siteNo, detailsFrom } = resolved
  const timed = sourceOf('titlePlaces', resolved) === 'rows' ? titles.filter(({ lastAt }) => lastAt > 0) : []
  const kept = timed.filter(({ lastAt }) => lastAt > (detailsFrom?.getTime() ?? 0))
  const others = titles.filter(title => !timed.includes(title))
  const [located, found] = await Promise.all([
    kept.length === 0
      ? []
      : locateTitlesAt(services.reads, {
          siteNo,
          titles: kept.map(({ value }) => value),
          times: kept.map(({ lastAt }) => new Date(lastAt)),
        }),
    others.length === 0
      ? []
      : locateByColumns(
          services,
          resolved,
          others.map(({ value }) => value),
        ),
  ])
  return new Map([...located, ...found].map(place => [place.title, place]))
}

async function locateByColumns(
  services: CountServices,
  resolved: ResolvedQuery,
  titles: string[],
): Promise<TitlePlace[]> {
  const { found, tied } = await countAsked(services, keptPart(resolved), 'titlePlaces', { titles })
  const hits = await readHitsByKey(services.reads, resolved.siteNo, tied)
  return [...hits.toReversed(), ...found]
}
