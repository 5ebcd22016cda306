import { previousRange, type Range, resolveRange } from '../time/range.ts'
import { filtersOf, type StatsQuery } from './filters/query.ts'
import type { ResolvedQuery } from './filters/resolved-query.ts'
import { type ResolveServices, resolveQueries } from './resolve/resolve.ts'

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

/** Query context: the range, the equally long period before it, and the resolved query for each of them. */
export interface QueryContext {
  range: Range
  rangeBefore: Range
  resolved: ResolvedQuery
  resolvedBefore: ResolvedQuery
}

/** @throws AppError as `resolveQueries` */
export async function resolveContext(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
): Promise<QueryContext> {
  const clock = { zone: site.timezone, now: services.now(), firstEventAt: site.firstEventAt }
  const range = resolveRange(query, clock)
  const rangeBefore = previousRange(range)
  const [resolved, resolvedBefore] = await resolveQueries(services, site, filtersOf(query), [
    range,
    rangeBefore,
  ])
  return { range, rangeBefore, resolved: resolved!, resolvedBefore: resolvedBefore! }
}
