import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { coverWindow } from './cover.ts'
import { readDailyRollups } from './daily-rollups.ts'
import type { RollupCache } from './rollup-cache.ts'
import { countSliceValues, type RowSlice, type Tallied, wholeSlice } from './row-slice.ts'
import { runsOf } from './runs.ts'
import { Sums } from './sums.ts'
import { numbersOf } from './value-dictionary.ts'
import { readValueRuns, type ValueRuns } from './value-runs.ts'

const DAY_MS = 86_400_000
/** When a larger part of a window is not rolled up, it is faster to count the window's hits in the database. */
const MAX_GAPS_MS = 2.5 * DAY_MS

const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const findFirstEvent = statement<{ at: number | null }>('find-first-event')

export interface Summed {
  sums: Sums
  /** Ranges of the days that are included in `sums`. */
  runs: ValueRuns
}

/**
 * Sums the counts of each value of a dimension in a window, from rollups and from rows that are not rolled up yet.
 * Requires a repeatable-read transaction: all statements must see the same snapshot.
 * @param options.withVisitors whether the caller will need the number of distinct visitors
 * @returns undefined when too little of the window is rolled up, or a day has more values than a rollup holds
 */
export async function sumValues(
  tx: Queryable,
  cache: RollupCache,
  { siteNo, window, dimension }: { siteNo: number; window: Window; dimension: string },
  { withVisitors }: { withVisitors: boolean },
): Promise<Summed | undefined> {
  const [stored, [first]] = await Promise.all([
    readDailyRollups(tx, [siteNo], window),
    findFirstEvent(tx, siteNo),
  ])
  const { rollups, rests, gaps } = coverWindow(window, stored.get(siteNo)!)
  let lived = gaps.flatMap(gap => clip(gap, first?.at ?? Number.POSITIVE_INFINITY))
  // The gap after the last rollup may lie mostly in the future, where there are no hits to count.
  if (rollups.length > 0 && lengthOf(lived) > MAX_GAPS_MS) lived = await untilNewestHit(tx, siteNo, lived)
  if (lengthOf(lived) > MAX_GAPS_MS) return undefined
  const [runs, ...tallied] = await Promise.all([
    readValueRuns(tx, cache, { siteNo, dimension }, runsOf(rollups), { withVisitors }),
    ...[...rests, ...lived.map(wholeSlice)].map(slice => tallySlice(tx, siteNo, slice, dimension)),
  ])
  if (!runs) return undefined
  const sums = new Sums(runs.all)
  for (const [key, counted] of tallied.flat()) sums.addTallied(key, counted)
  return { sums, runs }
}

/** Returns the part of a window that starts at `at` or later. */
function clip({ start, end }: Window, at: number): Window[] {
  return end <= at ? [] : [{ start: Math.max(start, at), end }]
}

const lengthOf = (windows: Window[]): number => windows.reduce((sum, { start, end }) => sum + end - start, 0)

/** Ends the last window after its newest hit; removes it when it has no hits. */
async function untilNewestHit(tx: Queryable, siteNo: number, windows: Window[]): Promise<Window[]> {
  const { start, end } = windows.at(-1)!
  const [newest] = await findNewestHit(tx, siteNo, new Date(start), new Date(end))
  const rest = newest!.at === null ? [] : [{ start, end: newest!.at + 1 }]
  return [...windows.slice(0, -1), ...rest]
}

async function tallySlice(
  tx: Queryable,
  siteNo: number,
  slice: RowSlice,
  dimension: string,
): Promise<[key: number | string, counted: Tallied][]> {
  const tallied = (await countSliceValues(tx, siteNo, slice, [dimension])).get(dimension)
  if (!tallied) return []
  const numbers = await numbersOf(tx, siteNo, [...tallied.keys()], { isNaming: false })
  return [...tallied].map(([value, counted]) => [numbers.get(value) ?? value, counted])
}
