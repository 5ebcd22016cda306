import { z } from 'zod'
import type { GoalRecord } from '../../goals/schema.ts'
import { ratio } from '../../lib/numbers.ts'
import { HIDDEN_REVENUE, presentRowRevenue, rowRevenueFields } from '../../money/amounts.ts'
import { count, decimal, label, uuid } from '../../schema/fields.ts'
import { mayShow } from '../../sharing/grant.ts'
import { listVisibleGoals } from '../../sharing/money-goals.ts'
import type { StatsQuery } from '../filters/query.ts'
import { type ConversionTargets, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { countConversions, NO_CONVERSIONS } from '../metrics/conversions.ts'
import { countTraffic } from '../metrics/traffic.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { findTargets } from '../resolve/targets.ts'

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
  const { rows } = await countGoals(services, site, context.resolved, goals)
  return rows
}

/**
 * Returns the row of each goal, in their order, with the query that counted them and what it looked for.
 * @throws AppError as `findTargets`
 */
export async function countGoals(
  services: StatsServices,
  site: StatsSite,
  whole: ResolvedQuery,
  goals: readonly GoalRecord[],
): Promise<{ rows: GoalRow[]; resolved: ResolvedQuery; targets: ConversionTargets }> {
  // Conversions are counted from rows: visitors have to be those of the same time.
  const resolved = keptPart(whole)
  const targets = await findTargets(services, { ...resolved, teamId: site.teamId }, goals)
  const currencies = goals.map(goal => goal.currency ?? '')
  const [counted, [all]] = await Promise.all([
    countConversions(services, resolved, targets, currencies),
    countTraffic(services, resolved, [resolved]),
  ])
  const rows = goals.map((goal, index) => {
    const { conversions, visitors, revenue } = counted.get(index) ?? NO_CONVERSIONS
    return {
      id: goal.id,
      display_name: goal.displayName,
      conversions,
      visitors,
      conversion_rate: ratio(100 * visitors, all!.visitors, 1),
      ...(mayShow(services.grant, 'revenue') ? presentRowRevenue(revenue) : HIDDEN_REVENUE),
      currency: goal.currency,
    }
  })
  return { rows, resolved, targets }
}
