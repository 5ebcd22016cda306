import { expect } from 'vitest'
import type { Db } from '../../src/platform/db/connect.ts'
import { BreakdownQuery } from '../../src/stats/breakdown/breakdown-query.ts'
import { explain } from '../../src/stats/explain/explain.ts'
import { ExplainQuery, metricsOf, type Read } from '../../src/stats/explain/explain-query.ts'
import type { ExplainedRow, ExplanationAnswer } from '../../src/stats/explain/explanation-answer.ts'
import { getMrrMovements, MrrMovementsQuery } from '../../src/stats/money/movements.ts'
import { getMoney, MoneyQuery } from '../../src/stats/money/summary.ts'
import { getBreakdown } from '../../src/stats/reads/breakdown.ts'
import { getOverview, OverviewQuery } from '../../src/stats/reads/overview.ts'
import { comparingOf, hasMetric, parametersOf, readAt } from './expect-reads.ts'
import { readerOf, readServices, readSite } from './read-services.ts'
import type { RecountGoal } from './recount-conversions.ts'
import { beforeOf, keptOf, type Query } from './recount-metrics.ts'
import { dimensionValue, isHitDimension, type Visit, type World } from './recount-world.ts'
import type { TestSite } from './sites.ts'

interface Reads {
  db: Db
  site: TestSite & { detailsFrom?: Date | null }
  world: World
  goals: RecountGoal[]
  query: Query
  /** Selects what is compared. */
  number: number
}

type Values = Record<string, number | string>
const exact = (values: Values, name: string) => BigInt(values[name] ?? 0)
const sumOf = (parts: { values: Values }[], name: string) =>
  parts.reduce((sum, { values }) => sum + exact(values, name), 0n)

/** Terms of which rows show something else than a part of the total. */
const COUNTED_ONCE = new Set(['visitors', 'all_visitors', 'paying_customers'])

/** Expects that the parts of a number give its terms. */
export function expectParts(answer: ExplanationAnswer): void {
  for (const [name, total] of Object.entries(answer.terms)) {
    const overlap = exact(answer.overlap, name)
    expect([name, sumOf(answer.buckets, name) + exact(answer.before, name) - overlap]).toEqual([
      name,
      BigInt(total),
    ])
    expect(overlap).toBeGreaterThanOrEqual(0n)
  }
}

/** Expects that every number of the reads of a site is explained: the same number, parts that give it, and the rows behind it. */
export async function expectExplained(given: Reads): Promise<void> {
  const { db, world, query, number } = given
  const services = { ...readServices(db, readAt(world)), seesPayments: true }
  const site = readSite(given.site, world.zone)
  const parameters = { ...parametersOf(query), ...comparingOf(query) }
  const read = readerOf(services, site, parameters)
  const pick = <Value>(values: readonly Value[], more = 0) => values[(number + more) % values.length]!
  const period = pick(['current', 'previous', 'current'] as const)
  const asked = period === 'previous' ? beforeOf(world, query) : query

  /** Explains a number and follows the rows to their end. */
  async function explained(more: Record<string, unknown>) {
    const input = { period, limit: 3 + 9 * (number % 3), ...more }
    const answer = await read(explain, ExplainQuery, input)
    expectParts(answer)
    const rows: ExplainedRow[] = [...answer.rows!.data]
    let cursor = answer.rows!.next_cursor
    while (cursor) {
      const next = await read(explain, ExplainQuery, { ...input, cursor })
      rows.push(...next.rows!.data)
      cursor = next.rows!.next_cursor
    }
    const ids = rows.map(({ id, kind, at }) => `${id} ${kind} ${answer.rows!.kind === 'change' ? at : ''}`)
    if (answer.rows!.kind !== 'payment') expect([more, [...new Set(ids)]]).toEqual([more, ids])
    const times = rows.map(({ at }) => at)
    expect(times).toEqual(times.toSorted().reverse())
    for (const [name, total] of Object.entries(answer.terms)) {
      const isInRows = rows.some(({ values }) => name in values)
      if (!isInRows || COUNTED_ONCE.has(name)) continue
      expect([name, sumOf(rows, name)]).toEqual([name, BigInt(total)])
    }
    if (answer.rows!.kind === 'session' && 'visitors' in answer.terms) {
      const visitors = new Set(rows.filter(({ values }) => values.visitors === 1).map(row => row.visitor_id))
      expect(visitors.size).toBe(answer.terms.visitors)
    }
    return { answer, rows }
  }

  const expectNumbers = async (
    report: Read,
    wanted: string[],
    numbers: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ) => {
    // A third of the metrics in each of three rounds.
    for (const metric of wanted.filter((_, index) => index % 3 === number % 3)) {
      const { answer } = await explained({ read: report, metric, ...more })
      expect([report, metric, answer.number]).toEqual([report, metric, numbers[metric] ?? null])
    }
  }

  const kept = keptOf(world, asked)
  const keysOf = (visits: Iterable<Visit>) =>
    [...new Set(visits)].map(({ visitor, startedAt }) => `${visitor} ${startedAt}`).sort()
  const rowKeys = (rows: ExplainedRow[]) =>
    rows.map(({ visitor_id, at }) => `${visitor_id} ${Date.parse(at)}`).sort()

  const { previous, ...current } = await read(getOverview, OverviewQuery)
  await expectNumbers('overview', metricsOf('overview'), period === 'previous' ? previous : current)
  const started = await explained({ metric: 'bounce_rate' })
  expect(rowKeys(started.rows)).toEqual(keysOf(kept.started))
  const pageviews = await explained({ metric: 'pageviews', group: pick(['day', 'week', undefined]) })
  expect(rowKeys(pageviews.rows)).toEqual(
    keysOf(kept.hits.filter(hit => hit.type === 'pageview').map(hit => hit.visit)),
  )

  const goal = given.goals.length > 0 ? pick([undefined, ...given.goals]) : undefined
  for (const dimension of [pick(['path', 'source', 'title', 'country'] as const), pick(OTHERS, 1)]) {
    const breakdown = {
      ...(period === 'previous' && { compare: parameters.compare ?? 'previous' }),
      dimension,
      ...(goal && { conversion_goal: goal.id }),
    }
    const { rows } = await read(getBreakdown, BreakdownQuery, breakdown)
    const row = rows[number % Math.max(1, rows.length)]
    if (!row) continue
    const numbers: Record<string, unknown> = { ...(period === 'previous' ? row.previous : row) }
    const of = { ...breakdown, value: row.value }
    const wanted = metricsOf('breakdown').filter(name => hasMetric(dimension, goal, name))
    await expectNumbers('breakdown', wanted, numbers, of)
    // Compared with the day before, today ends at the hour that it is; the period before does not.
    if (dimension === 'hour_of_week' || (period === 'previous' && !query.compare)) continue
    const value = row.value === '(none)' ? '' : row.value
    const seen = await explained({ read: 'breakdown', ...of, metric: 'sessions' })
    const has = (visit: Visit) =>
      isHitDimension(dimension)
        ? kept.seenBy(visit).some(hit => dimensionValue(hit, dimension) === value)
        : visit.values[dimension] === value
    expect([dimension, value, rowKeys(seen.rows)]).toEqual([
      dimension,
      value,
      keysOf(kept.started.filter(has)),
    ])
  }

  const money = await read(getMoney, MoneyQuery)
  const ofMoney: Record<string, unknown> = { ...(period === 'previous' ? money.previous : money) }
  await expectNumbers('money', metricsOf('money'), ofMoney)
  if (period === 'previous') return
  const series = await read(getMrrMovements, MrrMovementsQuery)
  const index = number % series.labels.length
  const ofSeries = metricsOf('movements').map(name => [name, series[name as 'new'][index]])
  const bucket = series.labels[index]
  await expectNumbers('movements', metricsOf('movements'), Object.fromEntries(ofSeries), { bucket })
}

const OTHERS = [
  ...['exit_path', 'hour_of_week', 'hostname', 'channel', 'event_name', 'user_id'],
  ...['browser_version', 'visit_count'],
] as const
