import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { coverWindow, type FoldSpan } from './cover.ts'
import { PROPERTIES } from './dimensions.ts'
import { countPortionValues, type Portion, wholePortion } from './portion.ts'
import { Sums } from './sums.ts'
import { numbersOf } from './texts.ts'

const DAY_MS = 86_400_000
/** When more of a window is not folded, counting its hits in the database is faster than here. */
const MAX_GAPS_MS = 2.5 * DAY_MS

const selectDayFolds = statement<FoldSpan>('select-day-folds')
const selectValueFolds = statement<{ counts: string | null; visitors: string | null }>('select-value-folds')
const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const findFirstEvent = statement<{ at: number | null }>('find-first-event')

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
): Promise<Sums | undefined> {
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
  const sums = new Sums()
  const days = [folds.map(fold => new Date(fold.start)), folds.map(fold => new Date(fold.end))]
  const names = dimension.startsWith(PROPERTIES) ? [dimension, PROPERTIES] : [dimension]
  for (const name of names) {
    const rows = await selectValueFolds(tx, siteNo, name, ...days.map(isoTimes), withVisitors)
    for (const { counts, visitors } of rows) {
      if (!counts) return undefined
      sums.addFold(bytesOf(counts), visitors === null ? null : bytesOf(visitors))
    }
  }
  for (const portion of [...rests, ...lived.map(wholePortion)]) {
    await addPortion(tx, sums, siteNo, portion, dimension)
  }
  return sums
}

const bytesOf = (base64: string) => Buffer.from(base64, 'base64')

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

async function addPortion(
  tx: Queryable,
  sums: Sums,
  siteNo: number,
  portion: Portion,
  dimension: string,
): Promise<void> {
  const tallied = (await countPortionValues(tx, siteNo, portion, [dimension])).get(dimension)
  if (!tallied) return
  const numbers = await numbersOf(tx, siteNo, [...tallied.keys()], { isNaming: false })
  for (const [value, counted] of tallied) sums.addTallied(numbers.get(value) ?? value, counted)
}
