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
export function recountBreakdown(world: World, dimension: Dimension, query: Query): BreakdownRow[] {
  const kept = keptOf(world, query)
  const rows = valuesIn(world, dimension).map((value): BreakdownRow => {
    const hits = kept.hits.filter(hit => dimensionValue(hit, dimension) === value)
    const visits = visitsWith(value, dimension, kept)
    return {
      value: value === '' ? '(none)' : value,
      visitors: visitorsOf(hits),
      sessions: visits.length,
      pageviews: pageviewsOf(hits),
      bounce_rate: bounceRate(visits),
    }
  })
  return rows
    .filter(row => row.visitors > 0 || row.sessions > 0)
    .toSorted((a, b) => b.visitors - a.visitors || b.sessions - a.sessions || byText(a.value, b.value))
}

function visitsWith(value: string, dimension: Dimension, kept: Kept): Visit[] {
  if (!isHitDimension(dimension)) return kept.started.filter(visit => visit.values[dimension] === value)
  return kept.started.filter(visit => kept.seenBy(visit).some(hit => hit.values[dimension] === value))
}

/** Every session has hits, so that the values of sessions are among them. */
function valuesIn(world: World, dimension: Dimension): string[] {
  return [...new Set(world.hits.map((hit: CountedHit) => dimensionValue(hit, dimension)))]
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
