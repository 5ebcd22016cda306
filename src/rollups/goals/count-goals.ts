import type { Db, Transaction } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { dayRangesOf } from '../daily/coverage.ts'
import { cacheOf, type RollupCache } from '../daily/rollup-cache.ts'
import { countTogether } from '../daily/visitor-set.ts'
import { inTailSnapshot } from '../live-tail/kept-tails.ts'
import type { AskedConversions } from '../live-tail/running-counts.ts'
import type { TailReader } from '../live-tail/tail-reader.ts'
import type { Tasks, Window } from '../protocol.ts'
import { coverServiceEvents } from '../service-events/read-counts.ts'
import { type GoalGroup, groupGoals } from './goal-days.ts'
import { type GoalTotals, readGoalTotals } from './goal-totals.ts'
import { countServiceGaps, readServiceConversions } from './service-conversions.ts'
import {
  type ConversionSlice,
  type ConversionTargets,
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
  covered: GoalGroup
  currencies: string[]
  asked: AskedConversions[]
}

/**
 * Returns the conversions of goals in a window, in the order of their groups, from rollups and from rows that are not rolled up yet.
 * @returns null when rows are needed of a time for which no targets were given: a day was marked since `coverGoals`
 */
export function countGoals(
  db: Db,
  { siteNo, window, groups }: Tasks['countGoals']['input'],
): Promise<Tasks['countGoals']['output']> {
  return inTailSnapshot(db, siteNo, async (tx, tail) => {
    const parts: GroupParts[] = []
    for (const group of groups) {
      const [covered, ...others] = await groupGoals(tx, siteNo, window, keysOf(group))
      if (!covered || others.length > 0) return null
      const currencies = group.goals.map(({ currency }) => currency)
      const asked = askOf(group, covered, currencies)
      if (!asked) return null
      parts.push({ group, covered, currencies, asked })
    }
    // First, and even when nothing is asked: other reads wait for the tail.
    const inTail = await countInTail(
      tail,
      parts.flatMap(({ asked }) => asked),
    )
    const rolledUp: Awaited<ReturnType<typeof readRollups>>[] = []
    for (const part of parts) rolledUp.push(await readRollups(tx, cacheOf(db), siteNo, window, part))
    // Only now: rollups are few rows, and found one by one through an index.
    await withoutNestedLoops(tx)
    const counted: { conversions: number; visitors: number; revenue: bigint }[] = []
    for (const [index, part] of parts.entries()) {
      const { totals, serviceGaps } = rolledUp[index]!
      const rows = await countRows(tx, siteNo, part, serviceGaps, inTail)
      for (const [goal, ofGoal] of totals.entries()) {
        const inRows = rows.flatMap(row => row.get(goal) ?? [])
        counted.push(addUp(ofGoal, inRows))
      }
    }
    return counted
  })
}

const keysOf = ({ goals }: Group) => [...new Set(goals.map(({ key }) => key))]

/** Returns the totals of each goal by its number, and the parts of the window whose events of the service are counted from rows. */
async function readRollups(
  tx: Transaction,
  cache: RollupCache,
  siteNo: number,
  window: Window,
  { group: { goals, service }, covered, currencies }: GroupParts,
): Promise<{ totals: GoalTotals[][]; serviceGaps: Window[] }> {
  const byKey = await readGoalTotals(tx, cache, siteNo, covered.goals, dayRangesOf(covered.rollups))
  if (service.hits.length === 0) return { totals: goals.map(({ key }) => byKey.get(key)!), serviceGaps: [] }
  const coverage = await coverServiceEvents(tx, siteNo, window)
  const byService = await readServiceConversions(tx, cache, siteNo, coverage, service, currencies)
  return {
    totals: goals.map(({ key }, goal) => [...byKey.get(key)!, ...(byService.get(goal) ?? [])]),
    serviceGaps: coverage.gaps,
  }
}

/** @returns undefined when targets are missing for a slice */
function askOf({ rows }: Group, { slices }: GoalGroup, currencies: string[]): AskedConversions[] | undefined {
  const asked = slices.flatMap(slice => {
    const { start, end } = knownIn(slice)
    const given = rows.find(({ window }) => window.start <= start && end <= window.end)
    return given ? { slice, targets: given.targets, currencies } : []
  })
  return asked.length === slices.length ? asked : undefined
}

type CountedInTail = ReadonlyMap<ConversionSlice, Map<number, SliceConversions>>

/** Counts what a live tail can count: slices up to the newest rows. The properties of hits are only in rows. */
async function countInTail(tail: TailReader, asked: readonly AskedConversions[]): Promise<CountedInTail> {
  const inTail = asked
    .filter(({ slice }) => slice.from !== null && slice.to === null)
    .map(each => ({ ...each, targets: divideTargets(each.targets).plain }))
  const counted = await tail.countConversions(inTail)
  return new Map(
    counted?.flatMap((conversions, index) => (conversions ? [[inTail[index]!.slice, conversions]] : [])),
  )
}

function divideTargets({ hits, scrolls }: ConversionTargets) {
  const isPlain = ({ props }: ConversionTargets['hits'][number]) => props === null
  return {
    plain: { hits: hits.filter(isPlain), scrolls },
    withProps: { hits: hits.filter(target => !isPlain(target)), scrolls: [] },
  }
}

async function countRows(
  tx: Transaction,
  siteNo: number,
  { group: { service }, currencies, asked }: GroupParts,
  serviceGaps: Window[],
  inTail: CountedInTail,
): Promise<Map<number, SliceConversions>[]> {
  const counted = await countServiceGaps(tx, siteNo, serviceGaps, service, currencies)
  for (const { slice, targets } of asked) {
    const known = inTail.get(slice)
    const left = known ? divideTargets(targets).withProps : targets
    if (known) counted.push(known)
    counted.push(await countSliceConversions(tx, siteNo, slice, left, currencies))
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
