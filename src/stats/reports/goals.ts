import { z } from 'zod'
import { targetOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { ratio } from '../../lib/numbers.ts'
import { HIDDEN_REVENUE, presentRowRevenue, rowRevenueFields } from '../../money/amounts.ts'
import { count, decimal, label, uuid } from '../../schema/fields.ts'
import { mayShow } from '../../sharing/grant.ts'
import { listVisibleGoals } from '../../sharing/money-goals.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import type { StatsQuery } from '../filters/query.ts'
import {
  type ConversionTargets,
  isUnfiltered,
  keptPart,
  type ResolvedQuery,
} from '../filters/resolved-query.ts'
import { type ConversionCounts, countConversions, NO_CONVERSIONS } from '../metrics/conversions.ts'
import { countRolledUpGoals } from '../metrics/rolled-up-conversions.ts'
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
  // Conversions are counted from rows, or as if they were: visitors have to be those of the same time.
  const resolved = keptPart(context.resolved)
  const [counted, [all]] = await Promise.all([
    countGoals(services, site, resolved, goals),
    countTraffic(services, resolved, [resolved]),
  ])
  return goals.map((goal, index) => rowOf(services, goal, counted[index]!, all!.visitors))
}

/** Returns the conversions of each goal in the range, from goal rollups where they answer, else from rows. */
async function countGoals(
  services: StatsServices,
  site: StatsSite,
  resolved: ResolvedQuery,
  goals: readonly GoalRecord[],
): Promise<ConversionCounts[]> {
  const rolledUp = isUnfiltered(resolved)
    ? await countRolledUpGoals(services, site, resolved, goals)
    : new Map<GoalRecord, ConversionCounts>()
  const others = goals.filter(goal => !rolledUp.has(goal))
  const { counted } = await countGoalsInRows(services, site, resolved, others)
  const ofOthers = new Map(others.map((goal, index) => [goal, counted[index]!]))
  return goals.map(goal => rolledUp.get(goal) ?? ofOthers.get(goal)!)
}

/**
 * Returns the conversions of each goal from rows, in their order, and what was looked for.
 * @throws AppError as `findTargets`
 */
export async function countGoalsInRows(
  services: StatsServices,
  site: StatsSite,
  resolved: ResolvedQuery,
  goals: readonly GoalRecord[],
): Promise<{ counted: ConversionCounts[]; targets: ConversionTargets }> {
  if (goals.length === 0) return { counted: [], targets: { hits: [], scrolls: [] } }
  const currencies = goals.map(goal => goal.currency ?? '')
  const byColumns = await countFiltered(services, resolved, 'goals', {
    targets: goals.map(targetOf),
    currencies,
  })
  if (byColumns) return { counted: byColumns, targets: { hits: [], scrolls: [] } }
  const targets = await findTargets(services, { ...resolved, teamId: site.teamId }, goals)
  const byGoal = await countConversions(services, resolved, targets, currencies)
  return { counted: goals.map((_, index) => byGoal.get(index) ?? NO_CONVERSIONS), targets }
}

/** @param all visitors under the same filters */
export const rowOf = (
  { grant }: Pick<StatsServices, 'grant'>,
  goal: GoalRecord,
  { conversions, visitors, revenue }: ConversionCounts,
  all: number,
): GoalRow => ({
  id: goal.id,
  display_name: goal.displayName,
  conversions,
  visitors,
  conversion_rate: ratio(100 * visitors, all, 1),
  ...(mayShow(grant, 'revenue') ? presentRowRevenue(revenue) : HIDDEN_REVENUE),
  currency: goal.currency,
})
