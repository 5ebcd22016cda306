import type { Db, Transaction } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { dayRangesOf } from '../daily/coverage.ts'
import { cacheOf, type RollupCache } from '../daily/rollup-cache.ts'
import { countTogether } from '../daily/visitor-set.ts'
import type { Tasks, Window } from '../protocol.ts'
import { coverServiceEvents } from '../service-events/read-counts.ts'
import { type GoalGroup, groupGoals } from './goal-days.ts'
import { type GoalTotals, readGoalTotals } from './goal-totals.ts'
import { countServiceGaps, readServiceConversions } from './service-conversions.ts'
import {
  type ConversionSlice,
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

/** What a group of goals is added up from: rollups, and parts of the window that are counted from rows. */
interface GroupParts {
  group: Group
  currencies: string[]
  slices: ConversionSlice[]
  serviceGaps: Window[]
  /** By the goal's number. */
  rolledUp: GoalTotals[][]
}

/**
 * Returns the conversions of goals in a window, in the order of their groups, from rollups and from rows that are not rolled up yet.
 * @returns null when rows are needed of a time for which no targets were given: a day was marked since `coverGoals`
 */
export function countGoals(
  db: Db,
  { siteNo, window, groups }: Tasks['countGoals']['input'],
): Promise<Tasks['countGoals']['output']> {
  return inSnapshot(db, async tx => {
    const parts: GroupParts[] = []
    for (const group of groups) {
      const [covered, ...others] = await groupGoals(tx, siteNo, window, keysOf(group))
      if (!covered || others.length > 0) return null
      parts.push(await readRollups(tx, cacheOf(db), siteNo, window, group, covered))
    }
    // Only now: rollups are few rows, and found one by one through an index.
    await withoutNestedLoops(tx)
    const counted: Tasks['countGoals']['output'] = []
    for (const part of parts) {
      const rows = await countRows(tx, siteNo, part)
      if (!rows) return null
      for (const [goal, rolledUp] of part.rolledUp.entries()) {
        counted.push(
          addUp(
            rolledUp,
            rows.flatMap(row => row.get(goal) ?? []),
          ),
        )
      }
    }
    return counted
  })
}

const keysOf = ({ goals }: Group) => [...new Set(goals.map(({ key }) => key))]

async function readRollups(
  tx: Transaction,
  cache: RollupCache,
  siteNo: number,
  window: Window,
  group: Group,
  { goals: keys, rollups, slices }: GoalGroup,
): Promise<GroupParts> {
  const { goals, service } = group
  const currencies = goals.map(({ currency }) => currency)
  const byKey = await readGoalTotals(tx, cache, siteNo, keys, dayRangesOf(rollups))
  const part = { group, currencies, slices }
  if (service.hits.length === 0) {
    return { ...part, serviceGaps: [], rolledUp: goals.map(({ key }) => byKey.get(key)!) }
  }
  const coverage = await coverServiceEvents(tx, siteNo, window)
  const byService = await readServiceConversions(tx, cache, siteNo, coverage, service, currencies)
  return {
    ...part,
    serviceGaps: coverage.gaps,
    rolledUp: goals.map(({ key }, goal) => [...byKey.get(key)!, ...(byService.get(goal) ?? [])]),
  }
}

/** @returns undefined when targets are missing for a slice */
async function countRows(
  tx: Transaction,
  siteNo: number,
  { group: { service, rows }, currencies, slices, serviceGaps }: GroupParts,
): Promise<Map<number, SliceConversions>[] | undefined> {
  const counted = await countServiceGaps(tx, siteNo, serviceGaps, service, currencies)
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
