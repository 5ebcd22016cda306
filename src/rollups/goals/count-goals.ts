import type { Db, Transaction } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { dayRangesOf } from '../daily/coverage.ts'
import { cacheOf, type RollupCache } from '../daily/rollup-cache.ts'
import { countTogether } from '../daily/visitor-set.ts'
import type { Tasks, Window } from '../protocol.ts'
import { type GoalGroup, groupGoals } from './goal-days.ts'
import { type GoalTotals, readGoalTotals } from './goal-totals.ts'
import {
  type ConversionSlice,
  countServiceConversions,
  countSliceConversions,
  knownIn,
  type SliceConversions,
  withoutNestedLoops,
} from './slice-conversions.ts'

/**
 * Returns the goals that rollups can answer for, in groups, each with the time spans whose rows are counted, too: the values that the
 * goals match there have to be known for `countGoals`.
 */
export function coverGoals(
  db: Db,
  { siteNo, window, goals }: Tasks['coverGoals']['input'],
): Promise<Tasks['coverGoals']['output']> {
  return inSnapshot(db, async tx => {
    const groups = await groupGoals(tx, siteNo, window, goals)
    return groups.map(({ goals, slices }) => ({ goals, windows: slices.map(knownIn) }))
  })
}

type Group = Tasks['countGoals']['input']['groups'][number]

/**
 * Returns the conversions of goals in a window, in the order of their groups, from rollups and from rows that are not rolled up yet.
 * @returns null when rows are needed of a time for which no targets were given: a day was marked since `coverGoals`
 */
export function countGoals(
  db: Db,
  { siteNo, window, groups }: Tasks['countGoals']['input'],
): Promise<Tasks['countGoals']['output']> {
  return inSnapshot(db, async tx => {
    const parts: { group: Group; slices: ConversionSlice[]; rolledUp: Map<string, GoalTotals[]> }[] = []
    for (const group of groups) {
      const [covered, ...others] = await groupGoals(tx, siteNo, window, keysOf(group))
      if (!covered || others.length > 0) return null
      const rolledUp = await readRollups(tx, cacheOf(db), siteNo, covered)
      parts.push({ group, slices: covered.slices, rolledUp })
    }
    // Only now: rollups are few rows, and found one by one through an index.
    await withoutNestedLoops(tx)
    const counted: Tasks['countGoals']['output'] = []
    for (const { group, slices, rolledUp } of parts) {
      const rows = await countRows(tx, siteNo, window, group, slices)
      if (!rows) return null
      for (const [goal, { key }] of group.goals.entries()) {
        counted.push(
          addUp(
            rolledUp.get(key)!,
            rows.flatMap(row => row.get(goal) ?? []),
          ),
        )
      }
    }
    return counted
  })
}

const keysOf = ({ goals }: Group) => [...new Set(goals.map(({ key }) => key))]

const readRollups = (tx: Transaction, cache: RollupCache, siteNo: number, { goals, rollups }: GoalGroup) =>
  readGoalTotals(tx, cache, siteNo, goals, dayRangesOf(rollups))

/** @returns undefined when targets are missing for a slice */
async function countRows(
  tx: Transaction,
  siteNo: number,
  window: Window,
  { goals, service, rows }: Group,
  slices: readonly ConversionSlice[],
): Promise<Map<number, SliceConversions>[] | undefined> {
  const currencies = goals.map(({ currency }) => currency)
  const counted = [await countServiceConversions(tx, siteNo, window, service, currencies)]
  for (const slice of slices) {
    const { start, end } = knownIn(slice)
    const given = rows.find(({ window }) => window.start <= start && end <= window.end)
    if (!given) return undefined
    counted.push(await countSliceConversions(tx, siteNo, slice, given.targets, currencies))
  }
  return counted
}

const addUp = (rolledUp: readonly GoalTotals[], rows: readonly SliceConversions[]) => ({
  conversions: [...rolledUp, ...rows].reduce((sum, { conversions }) => sum + conversions, 0),
  revenue: [...rolledUp, ...rows].reduce((sum, { revenue }) => sum + revenue, 0n),
  visitors: countTogether(
    rolledUp.map(({ visitors }) => visitors),
    rows.map(({ visitors }) => visitors),
  ),
})
