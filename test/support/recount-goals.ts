import type { RecountGoal } from './recount-conversions.ts'
import { keptConversions, keptOf, type Query } from './recount-metrics.ts'
import { oneDecimal, sum } from './recount-rounding.ts'
import { byText, type CountedHit, visitorsOf, type World } from './recount-world.ts'

/** The goal report, ordered by display name in lower case, then id. */
export function recountGoals(world: World, goals: RecountGoal[], query: Query) {
  const kept = keptOf(world, query)
  const allVisitors = visitorsOf(kept.hits)
  const rows = goals.map(goal => {
    const conversions = keptConversions(world, kept, goal)
    const visitors = visitorsOf(conversions)
    return {
      id: goal.id,
      display_name: goal.display_name,
      conversions: conversions.length,
      visitors,
      conversion_rate: oneDecimal(100 * visitors, allVisitors),
      // Minor units, as reported with the events.
      revenue: revenueOf(goal, conversions),
      currency: goal.currency,
    }
  })
  return rows.toSorted(
    (a, b) => byText(a.display_name.toLowerCase(), b.display_name.toLowerCase()) || byText(a.id, b.id),
  )
}

const revenueOf = ({ currency }: RecountGoal, conversions: CountedHit[]): number =>
  sum(conversions.map(({ sent: { revenue } }) => (revenue?.currency === currency ? revenue.amountMinor : 0)))
