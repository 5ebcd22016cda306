import type { Transaction } from '../../db/connect.ts'
import type { RollupCache } from '../daily/rollup-cache.ts'
import type { Window } from '../protocol.ts'
import { readServiceTotals, type ServiceCoverage } from '../service-events/read-counts.ts'
import type { GoalTotals } from './goal-totals.ts'
import { type ConversionTargets, countServiceRows, type SliceConversions } from './slice-conversions.ts'

/**
 * Returns the conversions by events that the service wrote on days that are counted, by the goal's number. Nothing is counted twice: a goal
 * names each event name once, and an event has one.
 */
export async function readServiceConversions(
  tx: Transaction,
  cache: RollupCache,
  siteNo: number,
  coverage: ServiceCoverage,
  { hits }: ConversionTargets,
  currencies: readonly string[],
): Promise<Map<number, GoalTotals[]>> {
  const byGoal = new Map<number, GoalTotals[]>()
  const wanted = hits.flatMap(({ value: name, props, goals }) =>
    goals.map(goal => ({ goal, name, props, currency: currencies[goal]! })),
  )
  const totals = await readServiceTotals(tx, cache, siteNo, coverage, wanted)
  for (const [index, { goal }] of wanted.entries()) {
    const found = totals[index]
    if (found) byGoal.set(goal, [...(byGoal.get(goal) ?? []), found])
  }
  return byGoal
}

/** Returns those of the rest of a window, from rows, one map for each part of it. */
export async function countServiceGaps(
  tx: Transaction,
  siteNo: number,
  gaps: readonly Window[],
  targets: ConversionTargets,
  currencies: readonly string[],
): Promise<Map<number, SliceConversions>[]> {
  const counted: Map<number, SliceConversions>[] = []
  for (const gap of gaps) counted.push(await countServiceRows(tx, siteNo, gap, targets, currencies))
  return counted
}
