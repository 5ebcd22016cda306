import type { Db, Transaction } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { dayRangesOf } from '../daily/coverage.ts'
import { cacheOf, type RollupCache } from '../daily/rollup-cache.ts'
import { countTogether } from '../daily/visitor-set.ts'
import { inTailSnapshot } from '../live-tail/kept-tails.ts'
import type { AskedConversions } from '../live-tail/live-tail.ts'
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
  return inTailSnapshot(db, siteNo, async (tx, tail) => {
    const parts: GroupParts[] = []
    for (const group of groups) {
      const [covered, ...others] = await groupGoals(tx, siteNo, window, keysOf(group))
      if (!covered || others.length > 0) return null
      parts.push(await readRollups(tx, cacheOf(db), siteNo, window, group, covered))
    }
    const asked: AskedConversions[][] = []
    for (const part of parts) {
      const ofPart = askOf(part)
      if (!ofPart) return null
      asked.push(ofPart)
    }
    const inTail = await countInTail(tail, asked.flat())
    // Only now: rollups are few rows, and found one by one through an index.
    await withoutNestedLoops(tx)
    const counted: { conversions: number; visitors: number; revenue: bigint }[] = []
    for (const [index, part] of parts.entries()) {
      const rows = await countRows(tx, siteNo, part, asked[index]!, inTail)
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
function askOf({ group: { rows }, currencies, slices }: GroupParts): AskedConversions[] | undefined {
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
  const counted = inTail.length > 0 ? await tail.countConversions(inTail) : undefined
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
  { group: { service }, currencies, serviceGaps }: GroupParts,
  asked: readonly AskedConversions[],
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
