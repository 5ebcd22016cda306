import type { Group } from './recount-buckets.ts'
import { before, type Compare, comparedDays, type Days } from './recount-comparison.ts'
import { conversionsOf, type RecountGoal } from './recount-conversions.ts'
import { daysBetween, isWithin, type Period, periodOf } from './recount-days.ts'
import { type Filters, type Kept, keep } from './recount-filters.ts'
import { oneDecimal, sum, twoDecimals } from './recount-rounding.ts'
import { type CountedHit, type Visit, visitorsOf, type World } from './recount-world.ts'

/** The overview under filters, without kpi and revenue. */

export interface Query extends Days {
  filters?: Filters
  compare?: Compare
  /** size of the buckets, when it is chosen */
  group?: Group
}

/** The query for the period of `previous`. */
export function beforeOf({ zone }: World, { period: _period, ...query }: Query): Query {
  const range = { ...query, ...(_period && { period: _period }) }
  return { ...query, ...(query.compare ? comparedDays(zone, range, query.compare) : before(zone, range)) }
}

/** The field `comparison` of an answer. */
export function recountComparison(world: World, query: Query) {
  if (!query.compare) return {}
  const compared = beforeOf(world, query)
  const { start, end } = spanOf(world, compared)
  const iso = (at: number) => new Date(at).toISOString()
  return { comparison: { from: compared.from, to: compared.to, start: iso(start), end: iso(end) } }
}

export interface PeriodMetrics {
  pageviews: number
  visitors: number
  sessions: number
  views_per_visit: number
  bounce_rate: number
  avg_session_seconds: number
  custom_events: number
}

export function recountFilteredOverview(world: World, query: Query) {
  return {
    ...metricsUnderFilters(world, query),
    days: query.period ? 1 : daysBetween(query.from, query.to) + 1,
    previous: metricsUnderFilters(world, beforeOf(world, query)),
  }
}

function metricsUnderFilters(world: World, query: Query): PeriodMetrics & { conversion_rate?: number } {
  const { filters = {} } = query
  const kept = keptOf(world, query)
  const metrics = metricsOf(kept.hits, kept.started)
  const { goal, ...others } = filters
  if (!goal) return metrics
  const all = keep(world, others, kept.period)
  const conversions = goal.flatMap(each => keptConversions(world, kept, each))
  return {
    ...metrics,
    conversion_rate: oneDecimal(100 * visitorsOf(conversions), visitorsOf(all.hits)),
  }
}

export function keptOf(world: World, query: Query): Kept {
  return keep(world, query.filters ?? {}, spanOf(world, query))
}

export const spanOf = ({ zone }: World, { from, to, period }: Query): Period =>
  period ?? periodOf(zone, from, to)

/** What keeps a period keeps a part of it as well: hits by their time, sessions by their start. */
export function metricsWithin(kept: Kept, part: Period): PeriodMetrics {
  return metricsOf(
    kept.hits.filter(hit => isWithin(part, hit.at)),
    kept.started.filter(visit => isWithin(part, visit.startedAt)),
  )
}

function metricsOf(hits: CountedHit[], started: Visit[]): PeriodMetrics {
  const pageviews = pageviewsOf(hits)
  return {
    pageviews,
    visitors: visitorsOf(hits),
    sessions: started.length,
    views_per_visit: twoDecimals(pageviews, started.length),
    bounce_rate: bounceRate(started),
    avg_session_seconds: twoDecimals(sum(started.map(visit => visit.lengthMs)), 1000 * started.length),
    custom_events: hits.filter(hit => hit.type === 'event').length,
  }
}

export function pageviewsOf(hits: CountedHit[]): number {
  return hits.filter(hit => hit.type === 'pageview').length
}

/** By all pageviews of a session, whether they count themselves or not. */
export function bounceRate(visits: Visit[]): number {
  return twoDecimals(100 * visits.filter(visit => visit.pageviews === 1).length, visits.length)
}

/** In the period and in sessions that count; the hit itself need not pass filters. */
export function keptConversions(world: World, kept: Kept, goal: RecountGoal): CountedHit[] {
  return conversionsOf(world, goal).filter(hit => isWithin(kept.period, hit.at) && kept.visits.has(hit.visit))
}
