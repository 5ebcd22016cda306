import { query } from '../db/query.ts'
import { mayShow } from '../sharing/grant.ts'
import { previousRange, resolveRange, type TimeSpan } from '../time/range.ts'
import { grantedFilters, NO_MONEY_EVENTS } from './filters/granted.ts'
import { type Filters, filtersOf, type StatsQuery } from './filters/query.ts'
import { resolveQueries } from './resolve/resolve.ts'
import type { ResolveServices } from './resolve/targets.ts'

/** Services that statistics queries use; `signal` aborts when the client has disconnected or the deadline has passed. */
export type StatsServices = ResolveServices

/** Fields of a site that statistics queries use. */
export interface StatsSite {
  siteNo: number
  /** Team whose places in the pattern pool the queries of this site take. */
  teamId: string
  timezone: string
  currency: string
  firstEventAt: Date | null
}

const hasMoneyEvents = query<{ siteNo: number; start: Date; end: Date }, { found: boolean }>(
  'has-money-events',
  `select exists (
    select
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
  ) as found`,
)

/**
 * Returns the query context: the range, the equally long period before it, and the resolved query for each of them.
 * @param options.listsEvents whether the read lists or counts all events, of money too, even without filters
 * @throws AppError as `grantedFilters` and `resolveQueries`
 */
export async function resolveContext(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
  { listsEvents = false }: { listsEvents?: boolean } = {},
) {
  const granted = grantedFilters(services.grant, filtersOf(query))
  const clock = { zone: site.timezone, now: services.now(), firstEventAt: site.firstEventAt }
  const range = resolveRange(query, clock)
  const rangeBefore = previousRange(range)
  const filters = listsEvents ? await withoutMoneyEvents(services, site, granted, range) : granted
  const [resolved, resolvedBefore] = await resolveQueries(services, site, filters, [range, rangeBefore])
  return { range, rangeBefore, resolved: resolved!, resolvedBefore: resolvedBefore! }
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
