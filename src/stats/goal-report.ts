import { z } from 'zod'
import { listAllGoals } from '../goals/list-goals.ts'
import { count, decimal, label, uuid } from '../infra/fields.ts'
import { presentRowRevenue, rowRevenueFields } from '../revenue/numbers.ts'
import type { StatsQuery } from './filters/query.ts'
import { readFiltered } from './filters/rows.ts'
import type { ConversionTargets, Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
import { findTargets } from './filters/targets.ts'
import { ratio } from './numbers.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { countTraffic } from './traffic.ts'

/** @see contract.md §9 */
export const GoalRow = z
  .object({
    id: uuid('Goal id.'),
    display_name: label('What people call it.', 'Purchase'),
    conversions: count('How often it was met.', 7),
    visitors: count('Distinct visitors who met it.', 5),
    conversion_rate: decimal('Those among all visitors, percent, one decimal.', 3.9),
    ...rowRevenueFields('Revenue that the events reported, in minor units.', 34993),
    currency: label('Currency of a revenue goal.', 'USD').nullable(),
  })
  .meta({ id: 'GoalReportRow' })
export const GoalRows = z.array(GoalRow)
export type GoalRow = z.infer<typeof GoalRow>

interface Counted {
  goal: number
  conversions: number
  visitors: number
  /** Reported by the hits, minor units. */
  revenue: bigint
}

/** Returns the conversions of each goal of a site in the range, in the order of the list of goals. */
export async function getGoalReport(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
): Promise<GoalRow[]> {
  const [goals, { scope }] = await Promise.all([
    listAllGoals(services.reads, site.siteNo),
    readQuestion(services, site, query),
  ])
  if (goals.length === 0) return []
  const targets = await findTargets(services, { ...scope, teamId: site.teamId }, goals)
  const asked = { currencies: goals.map(goal => goal.currency ?? '') }
  const [rows, [all]] = await Promise.all([
    countConversions(services, scope, asked, targets),
    countTraffic(services, scope, [scope]),
  ])
  const counted = new Map(rows.map(row => [row.goal, row]))
  return goals.map((goal, index) => {
    const { conversions, visitors, revenue } = counted.get(index) ?? NOTHING
    return {
      id: goal.id,
      display_name: goal.displayName,
      conversions,
      visitors,
      conversion_rate: ratio(100 * visitors, all!.visitors, 1),
      ...presentRowRevenue(revenue),
      currency: goal.currency,
    }
  })
}

async function countConversions(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  asked: { currencies: string[] },
  targets: ConversionTargets,
): Promise<Counted[]> {
  if (!services.slices) {
    const rows = await readFiltered<CountedRow>(services.reads, 'count-conversions', scope, {
      asked,
      targets,
    })
    return rows.map(withExactRevenue)
  }
  const rows = await readSlices<Gathered>(services, 'gather-conversions', scope, { asked, targets })
  return mergeSlices(rows.map(withExactRevenue), ({ goal }) => goal)
}

/** Revenue is decimal text: a sum may exceed the integers that JavaScript represents exactly. */
type CountedRow = Omit<Counted, 'revenue'> & { revenue: string }

type Gathered = Omit<CountedRow, 'visitors'> & { visitors: Buffer | null }

const withExactRevenue = <Row extends { revenue: string }>(row: Row) => ({
  ...row,
  revenue: BigInt(row.revenue),
})

const NOTHING = { conversions: 0, visitors: 0, revenue: 0n }

/** Returns the number of distinct visitors with a conversion in sessions that match the filters of `scope`. */
export async function countConvertingVisitors(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  targets: ConversionTargets,
): Promise<number> {
  const { reads } = services
  if (services.slices) {
    const asked = { currencies: [] }
    const rows = await readSlices<Gathered>(services, 'gather-conversions', scope, { asked, targets })
    return mergeSlices(rows, () => 'all')[0]?.visitors ?? 0
  }
  const [row] = await readFiltered<{ visitors: number }>(reads, 'count-converting-visitors', scope, {
    targets,
  })
  return row!.visitors
}
