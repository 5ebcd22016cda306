import { type Db, inSnapshot, type Queryable, statement } from '../../infra/db.ts'
import type { RankedValue, Ranking, Tasks } from '../protocol.ts'
import { PROPERTIES, readProperty } from './dimensions.ts'
import { cacheOf } from './rollup-cache.ts'
import { type Summed, sumValues } from './sum-values.ts'
import type { Sums } from './sums.ts'
import { countTogether } from './union.ts'
import { compareTexts, numbersOf } from './value-dictionary.ts'

/** Minimum number of values whose distinct visitors are counted at once, before checking if more are needed. */
const BATCH = 32

interface ServiceHits {
  name: string
  hits: number
}

const countService = statement<ServiceHits>('count-service-hits')

/**
 * Returns one page of a dimension's values in a window, and the total number of values. Events written by the service
 * count as hits of `event_name`. No properties rollup has them, so do not query properties of an event name that only
 * the service writes.
 */
export function rankValues(db: Db, ranking: Ranking): Promise<Tasks['rankValues']['output']> {
  return inSnapshot(db, async tx => {
    const { siteNo, window, dimension, by, shown, leavesOutEmpty } = ranking
    const withVisitors = by.includes('visitors')
    const countsNames = dimension === 'event_name' && by.includes('hits')
    const [summed, ofService, [empty]] = await Promise.all([
      sumValues(tx, cacheOf(db), ranking, { withVisitors }),
      countsNames ? countService(tx, siteNo, new Date(window.start), new Date(window.end)) : [],
      leavesOutEmpty ? keysOf(tx, siteNo, ['']) : [],
    ])
    if (!summed) return null
    const { sums } = summed
    if (countsNames) await addService(tx, siteNo, sums, ofService)
    const all: number[] = []
    sums.keys.forEach((key, index) => {
      if (key !== empty && shown.some(column => sums.get(index, column) > 0)) all.push(index)
    })
    const rows = await pageOf(summed, withVisitors ? await refine(summed, all, ranking) : all, ranking)
    return rows && { rows, total: all.length }
  })
}

/** Returns the counts of given values in a window, with `visitors` always 0. */
export function countValues(
  db: Db,
  { values, ...asked }: Tasks['countValues']['input'],
): Promise<Tasks['countValues']['output']> {
  return inSnapshot(db, async tx => {
    const [summed, keys] = await Promise.all([
      sumValues(tx, cacheOf(db), asked, { withVisitors: false }),
      keysOf(tx, asked.siteNo, values),
    ])
    if (!summed) return null
    const { sums } = summed
    return keys.map(key => ({ ...sums.countsAt(sums.indexOf(key)), visitors: 0 }))
  })
}

/** Adds the events written by the service to `hits` only; no other column counts them. */
async function addService(tx: Queryable, siteNo: number, sums: Sums, written: ServiceHits[]): Promise<void> {
  const keys = await keysOf(
    tx,
    siteNo,
    written.map(({ name }) => name),
  )
  written.forEach(({ hits }, position) => {
    const index = sums.indexOf(keys[position]!)
    sums.set(index, 'hits', sums.get(index, 'hits') + hits)
  })
}

async function keysOf(tx: Queryable, siteNo: number, values: string[]): Promise<(number | string)[]> {
  const numbers = await numbersOf(tx, siteNo, values, { isNaming: false })
  return values.map(value => numbers.get(value) ?? value)
}

/**
 * Returns the values that can be among the first `offset + limit` by visitors, and sets their exact visitor counts. The sum
 * of daily visitors is an upper bound, so values far down the list are skipped.
 */
async function refine(summed: Summed, all: number[], { offset, limit }: Ranking): Promise<number[]> {
  const { sums } = summed
  const wanted = offset + limit
  const visitors = (index: number) => sums.get(index, 'visitors')
  const ordered = all.toSorted((a, b) => visitors(b) - visitors(a))
  const exact: number[] = []
  for (let next = 0; next < ordered.length; ) {
    const batch = ordered.slice(next, next + Math.max(BATCH, wanted - next))
    await countVisitors(summed, batch)
    exact.push(...batch)
    next = exact.length
    if (exact.length < wanted || next >= ordered.length) continue
    const last = exact.map(visitors).toSorted((a, b) => b - a)[wanted - 1]!
    if (visitors(ordered[next]!) < last) break
  }
  return exact
}

/** Replaces the upper bound in `visitors` with the number of distinct visitors. */
async function countVisitors({ sums, runs }: Summed, indexes: number[]): Promise<void> {
  const inexact = indexes.filter(index => !sums.hasExactVisitors(index))
  await runs.learnVisitors(inexact.map(index => sums.keys[index]!))
  for (const index of inexact) {
    const unions = runs.unionsOf(sums.keys[index]!)
    sums.set(index, 'visitors', countTogether(unions, sums.talliedVisitors(index)))
  }
}

/**
 * Returns the rows of one page. Reads texts only of values that are shown or tie with the first or last shown value.
 * @returns null when the value dictionary lacks one of the ids: the rollup of that day is damaged
 */
async function pageOf(
  { sums, runs }: Summed,
  all: number[],
  ranking: Ranking,
): Promise<RankedValue[] | null> {
  const { by, offset, limit, dimension } = ranking
  const compareCounts = (a: number, b: number) => {
    for (const column of by) {
      const difference = sums.get(b, column) - sums.get(a, column)
      if (difference !== 0) return difference
    }
    return 0
  }
  const ordered = all.toSorted(compareCounts)
  const page = ordered.slice(offset, offset + limit)
  if (page.length === 0) return []
  const first = ordered.findIndex(index => compareCounts(index, page[0]!) === 0)
  const last = ordered.findLastIndex(index => compareCounts(index, page.at(-1)!) === 0)
  const block = ordered.slice(first, last + 1)
  const numbers = block.map(index => sums.keys[index]!).filter(key => typeof key === 'number')
  const texts = await runs.textsOf(numbers)
  if (numbers.some(number => !texts.has(number))) return null
  const textOf = (index: number) => {
    const key = sums.keys[index]!
    return typeof key === 'number' ? texts.get(key)! : key
  }
  const compare = dimension.startsWith(PROPERTIES) ? compareProperties : compareTexts
  return block
    .map(index => ({ index, value: textOf(index) }))
    .sort((a, b) => compareCounts(a.index, b.index) || compare(a.value, b.value))
    .slice(offset - first, offset - first + limit)
    .map(({ index, value }) => ({ ...sums.countsAt(index), value }))
}

/** Compares by key, then by value. */
function compareProperties(one: string, other: string): number {
  const [a, b] = [readProperty(one), readProperty(other)]
  return compareTexts(a.key, b.key) || compareTexts(a.value, b.value)
}
