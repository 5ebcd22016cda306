import { type Db, inSnapshot, type Queryable } from '../../../platform/db/connect.ts'
import type { SortedRanking, Tasks } from '../protocol.ts'
import {
  type Amounts,
  type CountOf,
  compareKeys,
  compareTied,
  PER_VISITOR,
  type Sort,
  type SortKey,
  sortKeyOf,
} from '../value-order.ts'
import { searcherOf } from '../value-search.ts'
import {
  countVisitors,
  keysOf,
  pageOf,
  refine,
  type Summed,
  shownIn,
  sumValues,
  valuesAt,
} from './rank-values.ts'
import { cacheOf } from './rollup-cache.ts'

/**
 * Returns one page of a dimension's values in any order, and the number of values that match the search. Distinct visitors are
 * counted only for values that can be on the page, and for those whose sort key needs them.
 */
export function sortValues(db: Db, ranking: SortedRanking): Promise<Tasks['sortValues']['output']> {
  return inSnapshot(db, async tx => {
    const { siteNo, sort, search, shown, amounts } = ranking
    const summed = await sumValues(tx, cacheOf(db), ranking, true)
    if (!(summed instanceof Object)) return summed
    let all = shownIn(summed.sums, shown)
    const needsValues = search !== undefined || sort === 'value'
    const valueAt = needsValues ? await valuesAt(summed, all) : () => ''
    if (!valueAt) return null
    if (search !== undefined) {
      const isFound = searcherOf(search)
      all = all.filter(index => isFound(valueAt(index)))
    }
    const amountAt = await amountsAt(tx, siteNo, summed, amounts)
    if (PER_VISITOR.has(sort)) {
      await countVisitors(
        summed,
        all.filter(index => amountAt(index) !== 0n),
      )
    }
    const total = all.length
    const rows =
      sort === 'visitors'
        ? await pageByVisitors(summed, all, ranking)
        : await pageByKey(summed, all, ranking, keysFor(summed, all, sort, amountAt, valueAt))
    return rows && { rows, total }
  })
}

async function amountsAt(
  tx: Queryable,
  siteNo: number,
  { sums }: Summed,
  amounts: Amounts | undefined,
): Promise<(index: number) => bigint> {
  if (!amounts) return () => 0n
  const keys = await keysOf(tx, siteNo, amounts.values)
  const byKey = new Map(keys.map((key, position) => [key, amounts.amounts[position]!]))
  return index => byKey.get(sums.keys[index]!) ?? 0n
}

function keysFor(
  { sums }: Summed,
  all: readonly number[],
  sort: Sort,
  amountAt: (index: number) => bigint,
  valueAt: (index: number) => string,
): Map<number, SortKey> {
  let index = 0
  const count: CountOf = column => sums.get(index, column)
  const value = () => valueAt(index)
  const keys = new Map<number, SortKey>()
  for (index of all) keys.set(index, sortKeyOf(sort, count, amountAt(index), value))
  return keys
}

async function pageByVisitors(summed: Summed, all: readonly number[], ranking: SortedRanking) {
  const { order, offset, limit } = ranking
  const countsOf = countsIn(summed)
  const exact = await refine(summed, all, offset + limit, order)
  return pageOf(summed, exact, {
    ...ranking,
    compareCounts: (a, b) => {
      const [one, other] = [countsOf(a), countsOf(b)]
      return compareKeys(one('visitors'), other('visitors'), order) || compareTied('visitors', one, other)
    },
  })
}

/**
 * Visitors decide only among values with the same key, so they are counted for the page, and for as many of the values that tie
 * with its first or last one as can reach it.
 */
async function pageByKey(
  summed: Summed,
  all: readonly number[],
  ranking: SortedRanking,
  keys: Map<number, SortKey>,
) {
  const { sort, order, offset, limit } = ranking
  const countsOf = countsIn(summed)
  const byKey = (a: number, b: number) => compareKeys(keys.get(a)!, keys.get(b)!, order)
  const ordered = all.toSorted(byKey)
  const end = Math.min(offset + limit, ordered.length)
  if (offset >= end) return []
  const near: number[] = []
  const start = ordered.findIndex(index => byKey(index, ordered[offset]!) === 0)
  for (let from = start; from < end; ) {
    const tied = ordered.findLastIndex(index => byKey(index, ordered[from]!) === 0) + 1
    near.push(...(await refine(summed, ordered.slice(from, tied), Math.min(tied, end) - from)))
    from = tied
  }
  return pageOf(summed, near, {
    ...ranking,
    offset: offset - start,
    compareCounts: (a, b) => byKey(a, b) || compareTied(sort, countsOf(a), countsOf(b)),
  })
}

const countsIn =
  ({ sums }: Summed) =>
  (index: number): CountOf =>
  column =>
    sums.get(index, column)
