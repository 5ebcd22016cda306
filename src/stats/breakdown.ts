import { z } from 'zod'
import { label } from '../infra/fields.ts'
import { type Page, type PageQuery, pageFields, windowOf } from '../infra/pagination.ts'
import { presentRowRevenue, rowRevenueFields } from '../revenue/numbers.ts'
import { DIMENSIONS, type Dimension, isHitDimension } from './filters/dimensions.ts'
import { StatsQuery } from './filters/query.ts'
import { readFiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, rankSlices, readSlices } from './filters/slices.ts'
import { breakDownRevenue } from './money.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { pageOf } from './ranking.ts'
import { rankRolledUp } from './rolled-up.ts'
import { bounceRate, trafficFields } from './traffic.ts'

export const BreakdownQuery = StatsQuery.safeExtend({
  dimension: z.enum(DIMENSIONS).meta({ description: 'What to break down by.' }),
  ...pageFields(25),
})
export type BreakdownQuery = z.infer<typeof BreakdownQuery>

/** @see contract.md §9 */
export const BreakdownRow = z
  .object({
    value: label('Value of the dimension; `(none)` for the empty one.', 'Google'),
    visitors: trafficFields.visitors,
    sessions: trafficFields.sessions,
    pageviews: trafficFields.pageviews,
    bounce_rate: trafficFields.bounce_rate,
    ...rowRevenueFields("What sessions with the value paid, minor units of the site's currency.", 129_900),
  })
  .meta({ id: 'BreakdownRow' })
export type BreakdownRow = z.infer<typeof BreakdownRow>

interface Counted {
  value: string
  visitors: number
  sessions: number
  pageviews: number
  bounces: number
}

/** Returns the traffic of each value of a dimension, most visitors first; the empty value is `(none)`, as in filters. */
export async function getBreakdown(
  services: StatsServices,
  site: StatsSite,
  { dimension, ...query }: BreakdownQuery,
): Promise<Page<BreakdownRow>> {
  const { scope } = await readQuestion(services, site, query)
  const { rows, total } =
    (await rankRolledUp(services, scope, {
      dimension,
      by: ['visitors', 'sessions'],
      shown: ['visitors', 'sessions'],
      ...windowOf(query),
    })) ?? (await rankKept(services, scope, dimension, query))
  const values = rows.map(row => row.value)
  const revenue = await breakDownRevenue(services, site, scope, dimension, values)
  return {
    rows: rows.map(row => ({
      value: row.value || '(none)',
      visitors: row.visitors,
      sessions: row.sessions,
      pageviews: row.pageviews,
      bounce_rate: bounceRate(row.bounces, row.sessions),
      ...presentRowRevenue(revenue.get(row.value) ?? 0n),
    })),
    total,
  }
}

async function rankKept(
  services: StatsServices,
  scope: Scope,
  dimension: Dimension,
  query: PageQuery,
): Promise<Page<Counted>> {
  if (services.slices) return rankSliced(services, scope, dimension, query)
  const statement = isHitDimension(dimension) ? 'break-down-hits' : 'break-down-sessions'
  const ranked = await readFiltered<Counted & { total: number }>(services.reads, statement, scope, {
    asked: windowOf(query),
    value: dimension,
  })
  return pageOf(ranked, 'value')
}

async function rankSliced(
  services: StatsServices,
  scope: Scope,
  dimension: Dimension,
  query: PageQuery,
): Promise<Page<Counted>> {
  const statement = isHitDimension(dimension) ? 'gather-hit-values' : 'gather-session-values'
  const rows = await readSlices<Omit<Counted, 'visitors'> & { visitors: Buffer | null }>(
    services,
    statement,
    scope,
    { value: dimension },
  )
  const counted = mergeSlices(rows, ({ value }) => value)
  const shown = counted.filter(({ visitors, sessions }) => visitors > 0 || sessions > 0)
  const page = rankSlices(shown, ['visitors', 'sessions'], ({ value }) => value, windowOf(query))
  return { rows: page, total: shown.length }
}
