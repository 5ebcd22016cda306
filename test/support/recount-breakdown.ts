import type { RecountGoal } from './recount-conversions.ts'
import { hourOfWeek } from './recount-days.ts'
import { type Filters, type Kept, withoutDimension } from './recount-filters.ts'
import { bounceRate, keptConversions, keptOf, pageviewsOf, type Query } from './recount-metrics.ts'
import { type Money, recountMoneyOf } from './recount-money.ts'
import { mean, oneDecimal, sum, twoDecimals } from './recount-rounding.ts'
import { timeOnPage } from './recount-titles.ts'
import {
  byText,
  type CountedHit,
  type Dimension,
  dimensionValue,
  grouped,
  isHitDimension,
  type Visit,
  visitorsOf,
  type World,
} from './recount-world.ts'

export interface BreakdownOptions {
  search?: string
  sort?: keyof ReturnType<typeof metricsOfValue> | 'value'
  order?: 'asc' | 'desc'
  goal?: RecountGoal
  /** the same filters, in the days that are compared */
  before?: Query
}

/** What traffic is broken down by. */
type Asked = Dimension | 'hour_of_week'

const NO_MONEY: Money = { payments: [], movements: [] }

/** Every row, in order; an empty value is `(none)`. */
export function recountBreakdown(
  world: World,
  dimension: Asked,
  query: Query,
  money: Money = NO_MONEY,
  { search, sort = 'visitors', order, goal, before }: BreakdownOptions = {},
) {
  const metricsOf = (value: string, asked: Query) =>
    metricsOfValue(world, dimension, value, asked, money, goal)
  const rows = valuesIn(world, dimension)
    .filter(value => search === undefined || isFound(search, value || '(none)'))
    .map(value => ({ value, metrics: metricsOf(value, query) }))
    .filter(({ metrics }) => metrics.visitors > 0 || metrics.sessions > 0)
  const sign = (order ?? (sort === 'value' ? 'asc' : 'desc')) === 'asc' ? 1 : -1
  const compared = (a: (typeof rows)[number], b: (typeof rows)[number]) => {
    if (sort === 'value') return sign * byText(a.value, b.value)
    const [one, other] = [a.metrics[sort] ?? null, b.metrics[sort] ?? null]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    return sign * (one - other)
  }
  rows.sort(
    (a, b) =>
      compared(a, b) ||
      b.metrics.visitors - a.metrics.visitors ||
      (sort === 'visitors' ? b.metrics.sessions - a.metrics.sessions : 0) ||
      byText(a.value, b.value),
  )
  return rows.map(({ value, metrics }) => ({
    value: value || '(none)',
    ...metrics,
    ...(before && { previous: metricsOf(value, before) }),
  }))
}

function metricsOfValue(
  world: World,
  dimension: Asked,
  value: string,
  query: Query,
  money: Money,
  goal: RecountGoal | undefined,
) {
  const kept = keptOf(world, query)
  const hits = kept.hits.filter(hit => shownBy(world, hit, dimension) === value)
  const visits = visitsWith(world, value, dimension, kept)
  // By exit page everything is of the sessions that started.
  const ofStarted = dimension === 'exit_path'
  const visitors = visitorsOf(ofStarted ? visits : hits)
  const pageviews = ofStarted ? sum(visits.map(visit => visit.pageviews)) : pageviewsOf(hits)
  const lengthMs = sum(visits.map(visit => visit.lengthMs))
  const { revenue, mrr } = recountMoneyOf(world, money, dimension, value, query)
  const converting =
    goal &&
    keptConversions(world, kept, goal).filter(({ visit }) => {
      if (ofStarted) return visits.includes(visit)
      return dimension === 'hour_of_week' || isHitDimension(dimension)
        ? hits.some(hit => hit.visit === visit)
        : visit.values[dimension] === value
    })
  return {
    visitors,
    sessions: visits.length,
    pageviews,
    views_per_visit: twoDecimals(pageviews, visits.length),
    bounce_rate: bounceRate(visits),
    avg_session_seconds: twoDecimals(lengthMs, 1000 * visits.length),
    revenue,
    mrr,
    revenue_per_visitor: twoDecimals(revenue, visitors),
    ...((dimension === 'path' || dimension === 'title') && {
      time_on_page_seconds: timeOnPage(value, visits, dimension),
      scroll_depth: scrollDepth(value, visits, dimension),
    }),
    ...(converting && {
      converting_visitors: visitorsOf(converting),
      conversion_rate: oneDecimal(100 * visitorsOf(converting), visitors),
    }),
  }
}

/** Mean over the sessions that scrolled there of how deep. */
function scrollDepth(value: string, visits: Visit[], dimension: 'path' | 'title'): number | null {
  const depths = visits.flatMap(visit => {
    const scrolls = visit.engagements
      .filter(({ pageview, hasScroll }) => hasScroll && pageview.values[dimension] === value)
      .map(({ scroll }) => scroll)
    return scrolls.length === 0 ? [] : [Math.max(...scrolls)]
  })
  return mean(depths)
}

/** Anywhere; each character may be the lower or the upper case of the one that is searched. */
function isFound(search: string, value: string): boolean {
  const wanted = [...search]
  const characters = [...value]
  return characters.some((_, start) =>
    wanted.every((character, index) =>
      [character, character.toLowerCase(), character.toUpperCase()].includes(
        characters[start + index] ?? '\0',
      ),
    ),
  )
}

const shownBy = (world: World, hit: CountedHit, dimension: Asked): string =>
  dimension === 'hour_of_week' ? hourOfWeek(world.zone, hit.at) : dimensionValue(hit, dimension)

function visitsWith(world: World, value: string, dimension: Asked, kept: Kept): Visit[] {
  if (dimension === 'hour_of_week')
    return kept.started.filter(visit => hourOfWeek(world.zone, visit.startedAt) === value)
  if (!isHitDimension(dimension)) return kept.started.filter(visit => visit.values[dimension] === value)
  return kept.started.filter(visit => kept.seenBy(visit).some(hit => hit.values[dimension] === value))
}

/** Every session has hits, so that the values of sessions are among them. */
function valuesIn(world: World, dimension: Asked): string[] {
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

  return [...grouped(values, value => value).values()]
    .toSorted((a, b) => b.length - a.length || byText(a[0]!, b[0]!))
    .map(([value]) => value!)
    .filter(value => value !== '')
    .slice(0, limit)
}
