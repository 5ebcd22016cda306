import { query } from '../db/query.ts'
import { runningDownload } from '../schema/download.ts'
import { mayShow } from '../sharing/grant.ts'
import { previousRange, resolveRange, type TimeSpan } from '../time/range.ts'
import { grantedFilters, NO_MONEY_EVENTS } from './filters/granted.ts'
import { type Filters, filtersOf, type StatsQuery } from './filters/query.ts'
import { isUnfiltered, keptPart } from './filters/resolved-query.ts'
import { withSegments } from './filters/segments.ts'
import { resolveQueries } from './resolve/resolve.ts'
import type { ResolveServices } from './resolve/targets.ts'

/** Services that statistics queries use; `signal` aborts when the client has disconnected or the deadline has passed. */
export type StatsServices = ResolveServices & {
  /** Says in the answer from when on the site has details: its range begins before. */
  showDetailsFrom?: ((detailsFrom: Date) => void) | undefined
  /** Which user reads: personal segments of others are unknown. Undefined for readers of a share. */
  userId?: string | undefined
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
 * Returns the query context, for all blocks of a download the same one, unless what its reader may see has changed.
 * @see resolveNow
 */
export function resolveContext(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
  options: { listsEvents?: boolean } = {},
): ReturnType<typeof resolveNow> {
  const resolve = () => resolveNow(services, site, query, options)
  const download = runningDownload()
  if (!download) return resolve()
  const sections = services.grant && [...services.grant.sections]
  const key = JSON.stringify([site.siteNo, query, options, sections, services.grant?.filters])
  return download.pin(`query context ${key}`, resolve)
}

/**
 * Returns the query context: the range, the equally long period before it, and the resolved query for each of them. Filters need
 * rows: filtered queries begin where the details of the site begin.
 * @param options.listsEvents whether the read lists or counts all events, of money too, even without filters
 * @throws AppError as `grantedFilters` and `resolveQueries`
 */
async function resolveNow(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
  { listsEvents = false }: { listsEvents?: boolean },
) {
  const given = await withSegments(services, site, filtersOf(query), query.segment)
  const granted = grantedFilters(services.grant, given)
  const clock = {
    zone: site.timezone,
    now: runningDownload()?.startedAt ?? services.now(),
    firstEventAt: site.firstEventAt,
  }
  const range = resolveRange(query, clock)
  const rangeBefore = previousRange(range)
  const spans = [range, rangeBefore]
  const filters = listsEvents ? await withoutMoneyEvents(services, site, granted, range) : granted
  const { detailsFrom } = site
  if (!detailsFrom || detailsFrom <= rangeBefore.start) {
    const [resolved, resolvedBefore] = await resolveQueries(services, site, filters, spans)
    return { range, rangeBefore, resolved: resolved!, resolvedBefore: resolvedBefore! }
  }
  if (range.start < detailsFrom) services.showDetailsFrom?.(detailsFrom)
  const kept = await resolveQueries(
    services,
    site,
    filters,
    spans.map(span => keptPart({ ...span, detailsFrom })),
  )
  const [resolved, resolvedBefore] = kept.map((each, index) =>
    isUnfiltered(each) ? { ...each, start: spans[index]!.start, end: spans[index]!.end, detailsFrom } : each,
  )
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
  const withoutMoney = { ...filters, dimensions: [...filters.dimensions, NO_MONEY_EVENTS] }
  // Events of money may be stored while the list is downloaded.
  if (runningDownload()) return withoutMoney
  const [money] = await hasMoneyEvents(reads, { siteNo, start, end })
  return money!.found ? withoutMoney : filters
}
