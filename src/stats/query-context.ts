import { query } from '../platform/db/query.ts'
import { runningDownload } from '../platform/schema/download.ts'
import { type ComparisonQuery, comparedRange, presentComparison } from '../platform/time/comparison.ts'
import { type Group, previousRange, resolveRange, type TimeSpan } from '../platform/time/range.ts'
import { grantedFilters, NO_MONEY_EVENTS } from './filters/granted.ts'
import { isUnfiltered, keptPart } from './filters/resolved-query.ts'
import { type Filters, filtersOf, type StatsQuery } from './filters/stats-query.ts'
import { withSegments } from './filters/with-segments.ts'
import type { ResolveServices } from './resolve/check-goals.ts'
import { resolveQueries } from './resolve/resolve.ts'
import { mayShow } from './sharing/grant.ts'

/** Services that statistics queries use; `signal` aborts when the client has disconnected or the deadline has passed. */
export type StatsServices = ResolveServices & {
  /** Says in the answer from when on the site has details: its range begins before. */
  showDetailsFrom?: ((detailsFrom: Date) => void) | undefined
  /** Which user reads: personal segments of others are unknown. Undefined for readers of a share. */
  userId?: string | undefined
  /** Only where viewers of a team read: replaces a mail address of a payer, which they do not see, as they do not see payments. */
  hidePayer?: ((email: string) => string) | undefined
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

type ContextQuery = StatsQuery & ComparisonQuery & { group?: Group | undefined }

/**
 * Returns the query context, for all blocks of a download the same one, unless what its reader may see has changed.
 * @see resolveNow
 */
export function resolveContext(
  services: StatsServices,
  site: StatsSite,
  query: ContextQuery,
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
 * Returns the query context: the range, the period before it, and the resolved query for each of them. With `compare` in the query,
 * the compared period takes the place of the period before, and `comparison` describes it. Filtered queries
 * begin where the details of the site begin.
 * @param options.listsEvents whether the read lists or counts all events, of money too, even without filters
 * @throws AppError as `grantedFilters` and `resolveQueries`
 */
async function resolveNow(
  services: StatsServices,
  site: StatsSite,
  query: ContextQuery,
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
  const compared = comparedRange(query, range, clock)
  const rangeBefore = compared ?? previousRange(range)
  const filters = listsEvents ? await withoutMoneyEvents(services, site, granted, range) : granted
  showDetails(services, site, compared ? [range, compared] : [range])
  const [resolved, resolvedBefore] = await resolveKept(services, site, filters, [range, rangeBefore])
  return {
    range,
    rangeBefore,
    /** Those that apply. */
    filters: granted,
    resolved: resolved!,
    resolvedBefore: resolvedBefore!,
    comparison: compared && presentComparison(compared),
  }
}

/**
 * Returns the query context of a read that follows what began in the range for up to `windowMs` after its end: the range and, with
 * `compare` in the query, the compared period, each with a resolved query that ends later.
 * @see docs/metrics.md "Which moments count"
 * @throws AppError as `grantedFilters` and `resolveQueries`
 */
export async function resolveFollowed(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery & ComparisonQuery,
  windowMs: number,
) {
  const given = await withSegments(services, site, filtersOf(query), query.segment)
  const filters = grantedFilters(services.grant, given)
  const now = services.now()
  const range = resolveRange(query, { zone: site.timezone, now, firstEventAt: site.firstEventAt })
  const compared = comparedRange(query, range, { now })
  const followMs = Math.min(windowMs, Math.max(0, now.getTime() - range.end.getTime()))
  const follow = async (span: TimeSpan) => {
    const end = new Date(span.end.getTime() + followMs)
    const [resolved] = await resolveKept(services, site, filters, [{ start: span.start, end }])
    return { range: span, resolved: resolved! }
  }
  showDetails(services, site, compared ? [range, compared] : [range])
  return {
    current: await follow(range),
    previous: compared && (await follow(compared)),
    comparison: compared && presentComparison(compared),
  }
}

const isCut = ({ start }: TimeSpan, { detailsFrom }: StatsSite) => !!detailsFrom && start < detailsFrom

/** Says from when on there are details, if a time span begins before. */
function showDetails(services: StatsServices, site: StatsSite, spans: TimeSpan[]): void {
  if (spans.some(span => isCut(span, site))) services.showDetailsFrom?.(site.detailsFrom!)
}

/** Resolves filters for the parts of time spans that have details; what needs no rows keeps the whole span. */
async function resolveKept(services: StatsServices, site: StatsSite, filters: Filters, spans: TimeSpan[]) {
  const detailsFrom = site.detailsFrom!
  const kept = spans.map(span => (isCut(span, site) ? keptPart({ ...span, detailsFrom }) : span))
  const resolved = await resolveQueries(services, site, filters, kept)
  return resolved.map((each, index) => {
    const { start, end } = spans[index]!
    return isCut(spans[index]!, site) && isUnfiltered(each) ? { ...each, start, end, detailsFrom } : each
  })
}

/**
 * Returns filters that leave out events of money where readers may not see them. A site without such events in the range is read as for
 * users: the filter would keep it from the aggregates.
 */
export async function withoutMoneyEvents(
  { reads, grant }: Pick<StatsServices, 'reads' | 'grant'>,
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
