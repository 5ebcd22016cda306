import { query } from '../db/query.ts'
import { mayShow } from '../sharing/grant.ts'
import { type ComparisonQuery, comparedRange, presentComparison } from '../time/comparison.ts'
import { type Group, previousRange, resolveRange, type TimeSpan } from '../time/range.ts'
import { grantedFilters, NO_MONEY_EVENTS } from './filters/granted.ts'
import { type Filters, filtersOf, type StatsQuery } from './filters/query.ts'
import { isUnfiltered, keptPart } from './filters/resolved-query.ts'
import { resolveQueries } from './resolve/resolve.ts'
import type { ResolveServices } from './resolve/targets.ts'

/** Services that statistics queries use; `signal` aborts when the client has disconnected or the deadline has passed. */
export type StatsServices = ResolveServices & {
  /** Says in the answer from when on the site has details: its range begins before. */
  showDetailsFrom?: ((detailsFrom: Date) => void) | undefined
}

/** Fields of a site that statistics queries use. */
export interface StatsSite {
  siteNo: number
  /** Team whose places in the pattern pool the queries of this site take. */
  teamId: string
  timezone: string
  currency: string
  firstEventAt: Date | null
  /** Hits and sessions before it are gone; null while none were dropped. */
  detailsFrom?: Date | null
}

const hasMoneyEvents = query<{ siteNo: number; start: Date; end: Date }, { found: boolean }>(
  'has-money-events',
  `select exists (
    select
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
  ) or exists (
    select
    from kept_hit_buckets
    where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
      and service_events is not null
  ) as found`,
)

/**
 * Returns the query context: the range, the period before it, and the resolved query for each of them. With `compare` in the query,
 * the compared period takes the place of the period before, and `comparison` describes it. Filters need rows: filtered queries
 * begin where the details of the site begin.
 * @param options.listsEvents whether the read lists or counts all events, of money too, even without filters
 * @throws AppError as `grantedFilters` and `resolveQueries`
 */
export async function resolveContext(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery & ComparisonQuery & { group?: Group | undefined },
  { listsEvents = false }: { listsEvents?: boolean } = {},
) {
  const granted = grantedFilters(services.grant, filtersOf(query))
  const clock = { zone: site.timezone, now: services.now(), firstEventAt: site.firstEventAt }
  const range = resolveRange(query, clock)
  const compared = comparedRange(query, range, clock)
  const rangeBefore = compared ?? previousRange(range)
  const filters = listsEvents ? await withoutMoneyEvents(services, site, granted, range) : granted
  const { detailsFrom } = site
  const isCut = ({ start }: TimeSpan) => !!detailsFrom && start < detailsFrom
  if (isCut(range) || (compared && isCut(compared))) services.showDetailsFrom?.(detailsFrom!)
  const resolveSpans = async (spans: TimeSpan[]) => {
    const kept = spans.map(span => (isCut(span) ? keptPart({ ...span, detailsFrom: detailsFrom! }) : span))
    const resolved = await resolveQueries(services, site, filters, kept)
    return resolved.map((each, index) => {
      const { start, end } = spans[index]!
      return isCut(spans[index]!) && isUnfiltered(each)
        ? { ...each, start, end, detailsFrom: detailsFrom! }
        : each
    })
  }
  // Queries that are resolved together read the values of patterns between their time spans, too.
  const [resolved, resolvedBefore] = compared
    ? [...(await resolveSpans([range])), ...(await resolveSpans([compared]))]
    : await resolveSpans([range, rangeBefore])
  return {
    range,
    rangeBefore,
    resolved: resolved!,
    resolvedBefore: resolvedBefore!,
    comparison: compared && presentComparison(compared),
  }
}

/** A site without events of money in the range is read as for users: the filter would keep it from the aggregates. */
async function withoutMoneyEvents(
  { reads, grant }: StatsServices,
  { siteNo }: StatsSite,
  filters: Filters,
  { start, end }: TimeSpan,
): Promise<Filters> {
  if (mayShow(grant, 'revenue')) return filters
  const [money] = await hasMoneyEvents(reads, { siteNo, start, end })
  return money!.found ? { ...filters, dimensions: [...filters.dimensions, NO_MONEY_EVENTS] } : filters
}
