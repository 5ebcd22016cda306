import { type Db, inSnapshot, type Queryable, statement } from '../../infra/db.ts'
import type { RankedValue, Ranking, Tasks } from '../protocol.ts'
import { type Column, type Counts, noCounts } from './codec.ts'
import { PROPERTIES, propertiesOf, readProperty } from './dimensions.ts'
import { DistinctCounter } from './distinct.ts'
import { type Sum, sumOf, sumValues } from './sum-values.ts'
import { numbersOf, textsOf } from './texts.ts'

/** Exact visitors are counted for so many values at once, before looking whether more are needed. */
const BATCH = 64

interface ServiceHits {
  type: string
  name: string
  hits: number
}

const countService = statement<ServiceHits>('count-service-hits')

/** A page of a dimension's values in a window, and how many there are. */
export function rankValues(db: Db, ranking: Ranking): Promise<Tasks['rankValues']['output']> {
  return inSnapshot(db, async tx => {
    const { siteNo, window, dimension, by, shown, leavesOutEmpty } = ranking
    const withVisitors = by.includes('visitors')
    const ofService = await countService(tx, siteNo, new Date(window.start), new Date(window.end))
    // Visitors of what the service wrote are in no fold.
    if (ofService.some(({ type, name }) => propertiesOf(type, name) === dimension)) return null
    const sums = await sumValues(tx, siteNo, window, dimension, { withVisitors })
    if (!sums) return null
    if (dimension === 'event_name' && by.includes('hits')) await addService(tx, siteNo, sums, ofService)
    if (leavesOutEmpty) for (const key of await keysOf(tx, siteNo, [''])) sums.delete(key)
    const entries = [...sums.values()].filter(({ counts }) => shown.some(column => counts[column] > 0))
    const rows = await pageOf(tx, withVisitors ? refine(entries, ranking) : entries, ranking)
    return { rows, total: entries.length }
  })
}

/** What some values count in a window. Visitors are not among it. */
export function countValues(
  db: Db,
  { siteNo, window, dimension, values }: Tasks['countValues']['input'],
): Promise<Tasks['countValues']['output']> {
  return inSnapshot(db, async tx => {
    const sums = await sumValues(tx, siteNo, window, dimension, { withVisitors: false })
    if (!sums) return null
    const numbers = await numbersOf(tx, siteNo, values, { isNaming: false })
    return values.map(value => {
      const sum = sums.get(numbers.get(value) ?? value)
      return { ...(sum?.counts ?? noCounts()), visitors: 0 }
    })
  })
}

/** What the service wrote counts among hits, and nowhere else. */
async function addService(
  tx: Queryable,
  siteNo: number,
  sums: Map<number | string, Sum>,
  written: ServiceHits[],
): Promise<void> {
  const keys = await keysOf(
    tx,
    siteNo,
    written.map(({ name }) => name),
  )
  written.forEach(({ hits }, index) => {
    sumOf(sums, keys[index]!).counts.hits += hits
  })
}

async function keysOf(tx: Queryable, siteNo: number, values: string[]): Promise<(number | string)[]> {
  const numbers = await numbersOf(tx, siteNo, values, { isNaming: false })
  return values.map(value => numbers.get(value) ?? value)
}

/**
 * Those values that can be among the first `offset + limit` by visitors, with their visitors counted exactly. The days'
 * visitors added up are an upper bound, so that values far down the list need not be looked at.
 */
function refine(entries: Sum[], { offset, limit }: Ranking): Sum[] {
  const wanted = offset + limit
  const distinct = new DistinctCounter()
  const ordered = entries.toSorted((a, b) => b.counts.visitors - a.counts.visitors)
  const exact: Sum[] = []
  for (let next = 0; next < ordered.length; ) {
    const batch = ordered.slice(next, next + BATCH)
    for (const sum of batch) {
      // A single day's visitors, or nobody who came twice.
      if (sum.leastVisitors < sum.counts.visitors) {
        sum.counts.visitors = distinct.count(sum.visitors.map(decode => decode()))
      }
      exact.push(sum)
    }
    next += batch.length
    if (exact.length < wanted || next >= ordered.length) continue
    const last = exact.map(sum => sum.counts.visitors).toSorted((a, b) => b - a)[wanted - 1]!
    if (ordered[next]!.counts.visitors < last) break
  }
  return exact
}

/** The texts of values are read only where they decide about the order, or are shown. */
async function pageOf(tx: Queryable, entries: Sum[], ranking: Ranking): Promise<RankedValue[]> {
  const { by, offset, limit, dimension } = ranking
  const ordered = entries.toSorted((a, b) => compareCounts(a.counts, b.counts, by))
  const page = ordered.slice(offset, offset + limit)
  if (page.length === 0) return []
  const ties = (a: Sum, b: Sum) => compareCounts(a.counts, b.counts, by) === 0
  const first = ordered.findIndex(sum => ties(sum, page[0]!))
  const last = ordered.findLastIndex(sum => ties(sum, page.at(-1)!))
  const block = ordered.slice(first, last + 1)
  const texts = await textsOf(
    tx,
    block.flatMap(({ key }) => (typeof key === 'number' ? [key] : [])),
  )
  const compare = dimension.startsWith(PROPERTIES) ? compareProperties : compareTexts
  return block
    .map(({ key, counts }) => ({ ...counts, value: typeof key === 'number' ? texts.get(key)! : key }))
    .sort((a, b) => compareCounts(a, b, by) || compare(a.value, b.value))
    .slice(offset - first, offset - first + limit)
}

function compareCounts(a: Counts, b: Counts, by: readonly Column[]): number {
  for (const column of by) if (a[column] !== b[column]) return b[column] - a[column]
  return 0
}

/** By their bytes in UTF-8, as `collate "C"` does. */
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** By key, then by value. */
function compareProperties(one: string, other: string): number {
  const [a, b] = [readProperty(one), readProperty(other)]
  return compareTexts(a.key, b.key) || compareTexts(a.value, b.value)
}
