import { z } from 'zod'
import { ratio } from '../../platform/lib/numbers.ts'
import { HIDDEN_REVENUE, presentRowRevenue, rowRevenueFields } from '../../platform/schema/amounts.ts'
import { count, decimal, label, uuid } from '../../platform/schema/fields.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { GoalCounts } from '../counts/goals.ts'
import { keptPart } from '../filters/resolved-query.ts'
import type { StatsQuery } from '../filters/stats-query.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { targetOf } from '../goals/goal-target.ts'
import { countTraffic } from '../metrics/traffic-metrics.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { mayShow } from '../sharing/grant.ts'
import { listVisibleGoals } from '../sharing/money-goals.ts'

/** @see docs/metrics.md "Goal report" */
export const GoalRow = z
  .object({
    id: uuid('Goal id.'),
    display_name: label('Name to show.', 'Purchase'),
    conversions: count('How often it was met.', 7),
    visitors: count('Distinct visitors who met it.', 5),
    conversion_rate: decimal('Those among all visitors, percent, one decimal.', 3.9),
    ...rowRevenueFields('Revenue that the events reported, in minor units.', 34993),
    currency: label('Currency of a revenue goal.', 'USD').nullable(),
  })
  .meta({ id: 'GoalReportRow' })
export const GoalRows = z.array(GoalRow)
export type GoalRow = z.infer<typeof GoalRow>

/** Returns the conversions of each goal of a site in the range, in the order of the list of goals. */
export async function getGoalReport(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
): Promise<GoalRow[]> {
  const [goals, context] = await Promise.all([
    listVisibleGoals({ ...services, db: services.reads }, site),
    resolveContext(services, site, query),
  ])
  if (goals.length === 0) return []
  // Conversions are counted where there are hits: visitors have to be those of the same time.
  const resolved = keptPart(context.resolved)
  const [counted, [all]] = await Promise.all([
    countAsked(services, resolved, 'goals', {
      targets: goals.map(targetOf),
      currencies: goals.map(({ currency }) => currency ?? ''),
    }),
    countTraffic(services, resolved, [resolved]),
  ])
  return goals.map((goal, index) => ({
    id: goal.id,
    display_name: goal.displayName,
    ...presentCounts(services, goal, counted[index]!, all!.visitors),
  }))
}

/**
 * Returns what a row says of the conversions of a goal.
 * @param all visitors under the same filters
 */
export const presentCounts = (
  { grant }: Pick<StatsServices, 'grant'>,
  { currency }: Pick<GoalRecord, 'currency'>,
  { conversions, visitors, revenue }: GoalCounts,
  all: number,
): Omit<GoalRow, 'id' | 'display_name'> => ({
  conversions,
  visitors,
  conversion_rate: ratio(100 * visitors, all, 1),
  ...(mayShow(grant, 'revenue') ? presentRowRevenue(revenue) : HIDDEN_REVENUE),
  currency,
})
