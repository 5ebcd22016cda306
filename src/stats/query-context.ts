import { previousRange, resolveRange } from '../time/range.ts'
import { filtersOf, type StatsQuery } from './filters/query.ts'
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

/**
 * Returns the query context: the range, the equally long period before it, and the resolved query for each of them. Filters need
 * rows: filtered queries begin where the details of the site begin.
 * @throws AppError as `resolveQueries`
 */
export async function resolveContext(services: StatsServices, site: StatsSite, query: StatsQuery) {
  const clock = { zone: site.timezone, now: services.now(), firstEventAt: site.firstEventAt }
  const range = resolveRange(query, clock)
  const rangeBefore = previousRange(range)
  const spans = [range, rangeBefore]
  const { detailsFrom } = site
  if (!detailsFrom || detailsFrom <= rangeBefore.start) {
    const [resolved, resolvedBefore] = await resolveQueries(services, site, filtersOf(query), spans)
    return { range, rangeBefore, resolved: resolved!, resolvedBefore: resolvedBefore! }
  }
  if (range.start < detailsFrom) services.showDetailsFrom?.(detailsFrom)
  const kept = await resolveQueries(
    services,
    site,
    filtersOf(query),
    spans.map(span => keptPart({ ...span, detailsFrom })),
  )
  const [resolved, resolvedBefore] = kept.map((each, index) =>
    isUnfiltered(each) ? { ...each, start: spans[index]!.start, end: spans[index]!.end, detailsFrom } : each,
  )
  return { range, rangeBefore, resolved: resolved!, resolvedBefore: resolvedBefore! }
}
