import { expect } from 'vitest'
import { readQuery } from '../../src/http/api/query.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { BreakdownQuery } from '../../src/stats/breakdown/breakdown-query.ts'
import { StatsQuery } from '../../src/stats/filters/stats-query.ts'
import { getBreakdown } from '../../src/stats/reads/breakdown.ts'
import {
  ErrorQuery,
  ErrorsQuery,
  ErrorTimeseriesQuery,
  getError,
  getErrorOccurrences,
  getErrors,
  getErrorTimeseries,
  OccurrencesQuery,
} from '../../src/stats/reads/error-groups.ts'
import { EventLogQuery, getEventLog } from '../../src/stats/reads/event-log.ts'
import { EventsTimeseriesQuery, getEventsTimeseries } from '../../src/stats/reads/events-timeseries.ts'
import { FilterValuesQuery, getFilterValues } from '../../src/stats/reads/filter-values.ts'
import { getGoalReport } from '../../src/stats/reads/goal-report.ts'
import { getOverview, OverviewQuery } from '../../src/stats/reads/overview.ts'
import {
  getPageTitleTimeseries,
  PageTitleTimeseriesQuery,
} from '../../src/stats/reads/page-title-timeseries.ts'
import { getPageTitles, PageTitlesQuery } from '../../src/stats/reads/page-titles.ts'
import { getPropertyBreakdown, PropertyBreakdownQuery } from '../../src/stats/reads/property-breakdown.ts'
import { getTimeseries, TimeseriesQuery } from '../../src/stats/reads/timeseries.ts'
import { SORTS } from '../../src/storage/rollups/value-order.ts'
import { filterParameters } from './filter-parameters.ts'
import { keptCounter } from './kept-counter.ts'
import { readerOf, readServices, readSite } from './read-services.ts'
import { recountBreakdown, recountFilterValues } from './recount-breakdown.ts'
import type { RecountGoal } from './recount-conversions.ts'
import { recountError, recountErrorSeries, recountErrors, recountOccurrences } from './recount-errors.ts'
import { recountGoals } from './recount-goals.ts'
import { recountLog, recountProperties } from './recount-log.ts'
import { beforeOf, type Query, recountComparison, recountFilteredOverview } from './recount-metrics.ts'
import { type Money, recountMoneyOverview, recountMoneySeries } from './recount-money.ts'
import { recountEventSeries, recountMetricSeries } from './recount-timeseries.ts'
import { recountTitleSeries, recountTitles } from './recount-titles.ts'
import { hitDimensions, sessionDimensions, type World } from './recount-world.ts'
import type { TestSite } from './sites.ts'

const DIMENSIONS = [...hitDimensions, ...sessionDimensions]
/** Dimensions that are counted in ways of their own. */
const OTHERS = ['exit_path', 'hour_of_week', 'language', 'hour_of_week', 'browser_version'] as const
const METRICS = [
  ...['visitors', 'pageviews', 'sessions', 'bounce_rate', 'views_per_visit', 'avg_session_seconds'],
  'custom_events',
] as const

interface Reads {
  db: Db
  /** Pool for reads and counts over columns; default: `db`. */
  reads?: Db
  site: TestSite
  world: World
  goals: RecountGoal[]
  money: Money
  query: Query
  /** Selects the dimensions, metrics and pages to compare. */
  number: number
}

/** The time at which `expectSameReads` reads: that of the newest hit. */
export const readAt = (world: World): Date => new Date(Math.max(...world.hits.map(hit => hit.at), 0) + 1)

/** Expects that every report of a site equals its recount. */
export async function expectSameReads(given: Reads): Promise<void> {
  const { db, reads, world, money, query, number } = given
  const services = {
    ...readServices(db, readAt(world)),
    ...(reads && { reads, counter: keptCounter(reads) }),
  }
  const site = readSite(given.site, world.zone)
  const read = readerOf(services, site, parametersOf(query))
  const pick = <Value>(values: readonly Value[]) => values[number % values.length]!
  /** One of the pages of so many rows, as parameters and as a part of the recount. */
  const pageOf = <Row>(rows: Row[], perPage: number) => {
    const page = 1 + (number % (Math.ceil(rows.length / perPage) + 1))
    const shown = rows.slice((page - 1) * perPage, page * perPage)
    return { shown, paging: { page: String(page), per_page: String(perPage) } }
  }

  const comparing = comparingOf(query)
  const grouped = query.group && { group: query.group }
  const { kpi: _kpi, ...overview } = await read(getOverview, OverviewQuery, comparing)
  const traffic = recountFilteredOverview(world, query)
  const [paid, paidBefore] = recountMoneyOverview(world, money, query)
  expect(overview).toEqual({
    ...traffic,
    ...paid,
    previous: { ...traffic.previous, ...paidBefore },
    ...recountComparison(world, query),
  })

  const seriesOf = (metric: string) =>
    read(getTimeseries, TimeseriesQuery, { metric, ...grouped, ...comparing })
  const metric = pick(METRICS)
  expect(await seriesOf(metric)).toEqual(recountMetricSeries(world, metric, query))
  const ofMoney = pick(['revenue', 'mrr'] as const)
  expect(await seriesOf(ofMoney)).toEqual(recountMoneySeries(world, money, ofMoney, query))
  for (const dimension of [pick(DIMENSIONS), pick(OTHERS), pick(hitDimensions)]) {
    const { comparison, ...breakdown } = await read(getBreakdown, BreakdownQuery, {
      dimension,
      per_page: '100',
    })
    const rows = recountBreakdown(world, dimension, query, money)
    const total = rows.length
    expect({ dimension, comparison, ...breakdown }).toEqual({ dimension, rows: rows.slice(0, 100), total })
    await expectSameSorted(dimension)
    if (dimension === 'hour_of_week') continue
    const { values } = await read(getFilterValues, FilterValuesQuery, { dimension })
    expect(values.map(({ value }) => value)).toEqual(recountFilterValues(world, dimension, query))
  }
  expect(await read(getGoalReport, StatsQuery)).toEqual(recountGoals(world, given.goals, query))

  const log = recountLog(world, [], query)
  const { paging, shown } = pageOf(log, 1 + (number % 9))
  const logged = await read(getEventLog, EventLogQuery, paging)
  expect(logged.total).toBe(log.length)
  expect(logged.rows.map(comparable)).toEqual(shown.map(comparable))
  expect(await read(getEventsTimeseries, EventsTimeseriesQuery, grouped)).toEqual(
    recountEventSeries(world, [], query),
  )
  const named = world.hits.filter(hit => hit.type !== 'pageview')
  const event = named[number % Math.max(1, named.length)]
  if (event && event.type !== 'pageview' && event.values.event_name !== '') {
    const { type: event_type, values } = event
    const { event_name } = values
    const { rows } = await read(getPropertyBreakdown, PropertyBreakdownQuery, { event_type, event_name })
    expect(rows).toEqual(recountProperties(world, event_type, event_name, without(query, 'event_name')))
  }

  const titles = recountTitles(world, query)
  for (const perPage of [100, 1 + (number % 3)]) {
    const { paging, shown } = pageOf(titles, perPage)
    expect(await read(getPageTitles, PageTitlesQuery, paging)).toEqual({ rows: shown, total: titles.length })
  }
  const title = (pick([titles[0], titles.at(-1)]) ?? { title: 'Welcome' }).title
  expect(await read(getPageTitleTimeseries, PageTitleTimeseriesQuery, { title, ...grouped })).toEqual(
    recountTitleSeries(world, title, without(query, 'title')),
  )
  await expectSameErrors()

  /** One page, searched, in some order and compared. */
  async function expectSameSorted(dimension: BreakdownQuery['dimension']) {
    const goal = given.goals.length > 0 ? pick(given.goals) : undefined
    const sorts = SORTS.filter(name => hasMetric(dimension, goal, name))
    const order = pick([undefined, 'asc', 'desc'] as const)
    const search = pick([undefined, 'E', undefined, '/', 'nOn', 'zzz', 'i'])
    const sorted = { sort: pick(sorts), ...(order && { order }), ...(search && { search }) }
    const all = recountBreakdown(world, dimension, query, money, {
      ...sorted,
      ...(goal && { goal }),
      ...(query.compare && { before: beforeOf(world, query) }),
    })
    const { paging, shown } = pageOf(all, 1 + (number % 5))
    const parameters = {
      dimension,
      ...sorted,
      ...(goal && { conversion_goal: goal.id }),
      ...comparing,
      ...paging,
    }
    const { rows, total, comparison } = await read(getBreakdown, BreakdownQuery, parameters)
    expect({ parameters, rows, total, comparison }).toEqual({
      parameters,
      rows: shown,
      total: all.length,
      ...recountComparison(world, query),
    })
  }

  async function expectSameErrors() {
    const known = recountErrors(world, site.id, query)
    const errors = await read(getErrors, ErrorsQuery)
    expect(errors.rows.map(withoutName)).toEqual(known.slice(0, 20).map(withoutName))
    expect(errors.total).toBe(known.length)
    const occurred = world.hits.find(hit => hit.type === 'error')
    if (!occurred) return
    const message = occurred.sent.errorMessage || occurred.values.event_name
    const group = recountError(world, site.id, message, query)
    const parameter = { error: group.id }
    expect(withoutName(await read(getError, ErrorQuery, parameter))).toEqual(withoutName(group))
    expect(await read(getErrorTimeseries, ErrorTimeseriesQuery, { ...parameter, ...grouped })).toEqual(
      recountErrorSeries(world, message, query),
    )
    const occurrences = recountOccurrences(world, message, query)
    for (const perPage of [20, 1 + (number % 3)]) {
      const page = perPage === 20 ? 1 : 1 + (number % (occurrences.length + 1))
      const paged = { ...parameter, page: String(page), per_page: String(perPage) }
      const found = await read(getErrorOccurrences, OccurrencesQuery, paged)
      expect(found.total).toBe(occurrences.length)
      const shown = occurrences.slice((page - 1) * perPage, page * perPage)
      expect(found.rows.map(row => row.timestamp)).toEqual(shown.map(item => item.timestamp))
    }
  }
}

/** Whether a breakdown has a metric: some need a goal, some are of pages. */
export function hasMetric(dimension: string, goal: RecountGoal | undefined, name: string): boolean {
  if (name === 'conversion_rate' || name === 'converting_visitors') return goal !== undefined
  if (name === 'time_on_page_seconds' || name === 'scroll_depth')
    return dimension === 'path' || dimension === 'title'
  return true
}

const withoutName = ({ error_name: _name, ...group }: { error_name: string }) => group

/** Returns the query parameters of a request with this range and these filters. */
export function parametersOf({ from, to, period, filters = {} }: Query): Record<string, unknown> {
  const parameters = filterParameters(filters)
  if (period) parameters.set('range', 'last_24_hours')
  else {
    parameters.set('from', from)
    parameters.set('to', to)
  }
  const names = [...parameters.keys()].map(key => key.replace(/\[.*$/, ''))
  return readQuery(`/?${parameters}`, new Set(names)).input
}

/** Returns the parameters of the comparison, of requests that take them. */
export function comparingOf({ compare }: Query): Record<string, string> {
  const { now: _now, ...parameters } = compare ?? { now: 0 }
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
}

/** Removes a filter that the endpoint replaces by a parameter of the same name. */
function without(query: Query, name: 'title' | 'event_name'): Query {
  const { [name]: _own, ...filters } = query.filters ?? {}
  return { ...query, filters }
}

/** What an item of the log has and the recount lacks, and its id, which decides the order. */
const UNKNOWN = new Set(['id', 'session_id', 'display_name', 'avatar_url', 'error_id'])

const comparable = (item: object) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !UNKNOWN.has(name)))
