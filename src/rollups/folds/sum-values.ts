import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { COLUMNS, type Counts, decodeColumns, decodeVisitors, noCounts } from './codec.ts'
import { coverWindow, type FoldSpan } from './cover.ts'
import { PROPERTIES } from './dimensions.ts'
import { addCounts, countPortionValues, type Portion, wholePortion } from './portion.ts'
import { numbersOf } from './texts.ts'

const DAY_MS = 86_400_000
/** When more of a window is not folded, counting its hits in the database is faster than here. */
const MAX_GAPS_MS = 2.5 * DAY_MS

const selectDayFolds = statement<FoldSpan>('select-day-folds')
const selectValueFolds = statement<{ counts: Buffer | null; visitors: Buffer | null }>('select-value-folds')
const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const findFirstEvent = statement<{ at: number | null }>('find-first-event')

/** A value's sums; `visitors` counts those of each day, and of what is not folded, as if they were others. */
export interface Sum {
  /** The value's number, or the value itself where no fold has it. */
  key: number | string
  counts: Counts
  /** The most visitors of a part: there are no fewer. */
  leastVisitors: number
  /** Visitors of each part, ascending or in no order; those of folds are decoded when they are asked for. */
  visitors: (() => Uint32Array)[]
}

/**
 * What each value of a dimension counts in a window, from folds and from the rows they do not hold. All statements must
 * see the same moment: in one transaction that repeats its reads.
 * @returns undefined when too little of it is folded
 */
export async function sumValues(
  tx: Queryable,
  siteNo: number,
  window: Window,
  dimension: string,
  { withVisitors }: { withVisitors: boolean },
): Promise<Map<number | string, Sum> | undefined> {
  const bounds = [new Date(window.start), new Date(window.end)]
  const [stored, [first]] = await Promise.all([
    selectDayFolds(tx, [siteNo], ...bounds, false),
    findFirstEvent(tx, siteNo),
  ])
  const { folds, rests, gaps } = coverWindow(window, stored)
  let lived = gaps.flatMap(gap => clip(gap, first?.at ?? Number.POSITIVE_INFINITY))
  // After the last fold there may be more of the future than of the past.
  if (folds.length > 0 && lengthOf(lived) > MAX_GAPS_MS) lived = await untilNewestHit(tx, siteNo, lived)
  if (lengthOf(lived) > MAX_GAPS_MS) return undefined
  const sums = new Map<number | string, Sum>()
  const days = [folds.map(fold => new Date(fold.start)), folds.map(fold => new Date(fold.end))]
  const names = dimension.startsWith(PROPERTIES) ? [dimension, PROPERTIES] : [dimension]
  for (const name of names) {
    const rows = await selectValueFolds(tx, siteNo, name, ...days.map(isoTimes), withVisitors)
    for (const { counts, visitors } of rows) {
      if (!counts) return undefined
      addFold(sums, counts, visitors)
    }
  }
  for (const portion of [...rests, ...lived.map(wholePortion)]) {
    await addPortion(tx, sums, siteNo, portion, dimension)
  }
  return sums
}

const isoTimes = (times: Date[]) => times.map(time => time.toISOString())

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

function addFold(sums: Map<number | string, Sum>, counts: Buffer, visitors: Buffer | null): void {
  const { textNos, columns, offsets } = decodeColumns(counts)
  for (let index = 0; index < textNos.length; index++) {
    const sum = sumOf(sums, textNos[index]!)
    const into = sum.counts
    for (const column of COLUMNS) {
      if (column !== 'lastAt') into[column] += columns[column][index]!
    }
    into.lastAt = Math.max(into.lastAt, columns.lastAt[index]!)
    const count = columns.visitors[index]!
    sum.leastVisitors = Math.max(sum.leastVisitors, count)
    if (visitors && count > 0) sum.visitors.push(() => decodeVisitors(visitors, offsets[index]!, count))
  }
}

async function addPortion(
  tx: Queryable,
  sums: Map<number | string, Sum>,
  siteNo: number,
  portion: Portion,
  dimension: string,
): Promise<void> {
  const tallied = (await countPortionValues(tx, siteNo, portion, [dimension])).get(dimension)
  if (!tallied) return
  const numbers = await numbersOf(tx, siteNo, [...tallied.keys()], { isNaming: false })
  for (const [value, { counts, visitors }] of tallied) {
    const sum = sumOf(sums, numbers.get(value) ?? value)
    addCounts(sum.counts, counts)
    sum.counts.visitors += visitors.length
    sum.leastVisitors = Math.max(sum.leastVisitors, visitors.length)
    if (visitors.length > 0) sum.visitors.push(() => visitors)
  }
}

/** The sum of a key, empty when it is new. */
export function sumOf(sums: Map<number | string, Sum>, key: number | string): Sum {
  let sum = sums.get(key)
  if (!sum) {
    sum = { key, counts: noCounts(), leastVisitors: 0, visitors: [] }
    sums.set(key, sum)
  }
  return sum
}
