import { DAY_MS } from '../../platform/lib/time.ts'
import { type Page, type PageQuery, windowOf } from '../../platform/schema/pagination.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { countTraffic } from '../metrics/traffic-metrics.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'

/** A visitor, and the session that says where they stand in the list. */
export interface RankedVisitor {
  visitorNo: number
  startedAt: Date
}

type Services = Pick<StatsServices, 'reads' | 'rollups' | 'counter'>

/**
 * Returns a page of the visitors with a hit in the range that matches the filters, and their number. In order: those with a session
 * that started in the range, by the newest such session; then the others, by their newest session.
 * @throws AppError as `countAsked`
 */
export async function rankVisitors(
  services: Services,
  resolved: ResolvedQuery,
  query: PageQuery,
): Promise<Page<RankedVisitor>> {
  const page = windowOf(query)
  return sourceOf('visitors', resolved) === 'newest'
    ? rankAll(services, keptPart(resolved), page)
    : findVisitors(services, resolved, page)
}

async function findVisitors(
  services: Services,
  resolved: ResolvedQuery,
  page: PageWindow,
): Promise<Page<RankedVisitor>> {
  const { total, visitorNos, startedAt } = await countAsked(services, resolved, 'visitors', page)
  const rows = visitorNos.map((visitorNo, index) => ({ visitorNo, startedAt: new Date(startedAt[index]!) }))
  return { rows, total }
}

/** Rollups know the number of all visitors, and columns of the newest days who came last. */
async function rankAll(
  services: Services,
  resolved: ResolvedQuery,
  page: PageWindow,
): Promise<Page<RankedVisitor>> {
  const { start, end } = resolved
  if (start >= end) return { rows: [], total: 0 }
  const counting = countTraffic(services, resolved, [{ start, end }]).then(([counted]) => counted!.visitors)
  if (page.offset > 0) {
    // Counting first: a page beyond the last needs no columns.
    const total = await counting
    if (page.offset >= total) return { rows: [], total }
  }
  const [total, found] = await Promise.all([counting, findNewest(services, resolved, page, FEW_DAYS)])
  // A visitor may have come between the two.
  return { rows: found.rows, total: Math.max(total, found.total) }
}

/** Hits of a session lie at most this long from its start. */
const REACH_MS = DAY_MS
/** Days in which a page is looked for first. */
const FEW_DAYS = 3

/** @returns the page of the whole range; `total` may be of fewer days */
async function findNewest(
  services: Services,
  resolved: ResolvedQuery,
  page: PageWindow,
  days: number,
): Promise<Page<RankedVisitor>> {
  const from = resolved.end.getTime() - days * DAY_MS
  if (from <= resolved.start.getTime()) return findVisitors(services, resolved, page)
  const found = await findVisitors(services, { ...resolved, start: new Date(from) }, page)
  // A visitor with a session in the range that began this long after `from` has the same place in the whole range: all hits of such sessions are read.
  const isSure = found.rows.every(
    ({ startedAt }) => startedAt.getTime() >= from + REACH_MS && startedAt < resolved.end,
  )
  if (isSure && found.rows.length === page.limit) return found
  return findNewest(services, resolved, page, 4 * days)
}
