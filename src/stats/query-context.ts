import { previousRange, resolveRange } from '../time/range.ts'
import { filtersOf, type StatsQuery } from './filters/query.ts'
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

/**
 * Returns the query context: the range, the equally long period before it, and the resolved query for each of them.
 * @throws AppError as `resolveQueries`
 */
export async function resolveContext(services: StatsServices, site: StatsSite, query: StatsQuery) {
  const clock = { zone: site.timezone, now: services.now(), firstEventAt: site.firstEventAt }
  const range = resolveRange(query, clock)
  const rangeBefore = previousRange(range)
  const [resolved, resolvedBefore] = await resolveQueries(services, site, filtersOf(query), [
    range,
    rangeBefore,
  ])
  return { range, rangeBefore, resolved: resolved!, resolvedBefore: resolvedBefore! }
}
