import { hourOfWeek } from './recount-days.ts'
import { type Filters, type Kept, withoutDimension } from './recount-filters.ts'
import { bounceRate, keptOf, pageviewsOf, type Query } from './recount-metrics.ts'
import {
  byText,
  type CountedHit,
  type Dimension,
  dimensionValue,
  isHitDimension,
  type Visit,
  visitorsOf,
  type World,
} from './recount-world.ts'

export interface BreakdownRow {
  /** `(none)` where empty */
  value: string
  visitors: number
  sessions: number
  pageviews: number
  bounce_rate: number
}

/** Without revenue; by visitors, sessions, value. */
export function recountBreakdown(
  world: World,
  dimension: Dimension | 'hour_of_week',
  query: Query,
): BreakdownRow[] {
  const kept = keptOf(world, query)
  const rows = valuesIn(world, dimension).map((value): BreakdownRow => {
    const visits = visitsWith(world, value, dimension, kept)
    const ofVisits = { sessions: visits.length, bounce_rate: bounceRate(visits) }
    const shown = value === '' ? '(none)' : value
    // Everything is of the sessions that started.
    if (dimension === 'exit_path') {
      const visitors = new Set(visits.map(({ visitor }) => visitor)).size
      const pageviews = visits.reduce((sum, visit) => sum + visit.pageviews, 0)
      return { value: shown, visitors, pageviews, ...ofVisits }
    }
    const hits = kept.hits.filter(hit => shownBy(world, hit, dimension) === value)
    return { value: shown, visitors: visitorsOf(hits), pageviews: pageviewsOf(hits), ...ofVisits }
  })
  return rows
    .filter(row => row.visitors > 0 || row.sessions > 0)
    .toSorted((a, b) => b.visitors - a.visitors || b.sessions - a.sessions || byText(a.value, b.value))
}

const shownBy = (world: World, hit: CountedHit, dimension: Dimension | 'hour_of_week'): string =>
  dimension === 'hour_of_week' ? hourOfWeek(world.zone, hit.at) : dimensionValue(hit, dimension)

function visitsWith(world: World, value: string, dimension: Dimension | 'hour_of_week', kept: Kept): Visit[] {
  if (dimension === 'hour_of_week')
    return kept.started.filter(visit => hourOfWeek(world.zone, visit.startedAt) === value)
  if (!isHitDimension(dimension)) return kept.started.filter(visit => visit.values[dimension] === value)
  return kept.started.filter(visit => kept.seenBy(visit).some(hit => hit.values[dimension] === value))
}

/** Every session has hits, so that the values of sessions are among them. */
function valuesIn(world: World, dimension: Dimension | 'hour_of_week'): string[] {
  return [...new Set(world.hits.map(hit => shownBy(world, hit, dimension)))]
}

/**
 * What a filter's field suggests: by hits, of session dimensions by sessions, then by value. The dimension's own
 * filter is not looked at; empty values are left out.
 */
export function recountFilterValues(
  world: World,
  dimension: Dimension,
  query: Query,
  limit = 1000,
): string[] {
  const filters: Filters = withoutDimension(query.filters ?? {}, dimension)
  const kept = keptOf(world, { ...query, filters })
  const values = isHitDimension(dimension)
    ? kept.hits.map(hit => hit.values[dimension])
    : kept.started.map(visit => visit.values[dimension])

  const counts = new Map<string, number>()
  for (const value of values) {
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([a, hitsOfA], [b, hitsOfB]) => hitsOfB - hitsOfA || byText(a, b))
    .slice(0, limit)
    .map(([value]) => value)
}
