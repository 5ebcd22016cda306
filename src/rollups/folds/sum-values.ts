import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { coverWindow } from './cover.ts'
import { readDayFolds } from './day-folds.ts'
import type { FoldCache } from './fold-cache.ts'
import { countPortionValues, type Portion, type Tallied, wholePortion } from './portion.ts'
import { runsOf } from './runs.ts'
import { Sums } from './sums.ts'
import { numbersOf } from './texts.ts'
import { readValueRuns, type ValueRuns } from './value-runs.ts'

const DAY_MS = 86_400_000
/** When more of a window is not folded, counting its hits in the database is faster than here. */
const MAX_GAPS_MS = 2.5 * DAY_MS

const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const findFirstEvent = statement<{ at: number | null }>('find-first-event')

export interface Summed {
  sums: Sums
  /** The days among it. */
  runs: ValueRuns
}

/**
 * What each value of a dimension counts in a window, from folds and from the rows they do not hold. All statements must
 * see the same moment: in one transaction that repeats its reads.
 * @param options.withVisitors whether distinct ones will be asked for
 * @returns undefined when too little of it is folded
 */
export async function sumValues(
  tx: Queryable,
  cache: FoldCache,
  { siteNo, window, dimension }: { siteNo: number; window: Window; dimension: string },
  { withVisitors }: { withVisitors: boolean },
): Promise<Summed | undefined> {
  const [stored, [first]] = await Promise.all([
    readDayFolds(tx, [siteNo], window),
    findFirstEvent(tx, siteNo),
  ])
  const { folds, rests, gaps } = coverWindow(window, stored.get(siteNo)!)
  let lived = gaps.flatMap(gap => clip(gap, first?.at ?? Number.POSITIVE_INFINITY))
  // After the last fold there may be more of the future than of the past.
  if (folds.length > 0 && lengthOf(lived) > MAX_GAPS_MS) lived = await untilNewestHit(tx, siteNo, lived)
  if (lengthOf(lived) > MAX_GAPS_MS) return undefined
  const [runs, ...tallied] = await Promise.all([
    readValueRuns(tx, cache, { siteNo, dimension }, runsOf(folds), { withVisitors }),
    ...[...rests, ...lived.map(wholePortion)].map(portion => tallyPortion(tx, siteNo, portion, dimension)),
  ])
  if (!runs) return undefined
  const sums = new Sums(runs.all)
  for (const [key, counted] of tallied.flat()) sums.addTallied(key, counted)
  return { sums, runs }
}

/** The part of a window from `at` on. */
function clip({ start, end }: Window, at: number): Window[] {
  return end <= at ? [] : [{ start: Math.max(start, at), end }]
}

const lengthOf = (windows: Window[]): number => windows.reduce((sum, { start, end }) => sum + end - start, 0)

/** Windows, of which the last ends with the newest hit in it. */
async function untilNewestHit(tx: Queryable, siteNo: number, windows: Window[]): Promise<Window[]> {
  const { start, end } = windows.at(-1)!
  const [newest] = await findNewestHit(tx, siteNo, new Date(start), new Date(end))
  const rest = newest!.at === null ? [] : [{ start, end: newest!.at + 1 }]
  return [...windows.slice(0, -1), ...rest]
}

async function tallyPortion(
  tx: Queryable,
  siteNo: number,
  portion: Portion,
  dimension: string,
): Promise<[key: number | string, counted: Tallied][]> {
  const tallied = (await countPortionValues(tx, siteNo, portion, [dimension])).get(dimension)
  if (!tallied) return []
  const numbers = await numbersOf(tx, siteNo, [...tallied.keys()], { isNaming: false })
  return [...tallied].map(([value, counted]) => [numbers.get(value) ?? value, counted])
}
