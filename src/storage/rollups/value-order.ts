import { ratio } from '../../platform/lib/numbers.ts'
import type { Column } from './daily/codec.ts'
import { compareTexts } from './daily/value-dictionary.ts'

/** What values can be sorted by. */
export const SORTS = [
  'visitors',
  'sessions',
  'pageviews',
  'views_per_visit',
  'bounce_rate',
  'avg_session_seconds',
  'time_on_page_seconds',
  'scroll_depth',
  'converting_visitors',
  'conversion_rate',
  'revenue',
  'mrr',
  'revenue_per_visitor',
  'value',
] as const
export type Sort = (typeof SORTS)[number]

export interface ValueOrder {
  sort: Sort
  order: 'asc' | 'desc'
}

/** A number by value; absent values have 0. */
export interface Amounts {
  values: string[]
  amounts: bigint[]
}

/** Null: the value has no such number, and comes last in either order. */
export type SortKey = number | bigint | string | null

/** Counts that a sort key may be computed from. */
export type CountOf = (column: Column) => number

/** Computes ratios as answers show them; the only place that does so for values (docs/metrics.md "Breakdown"). */
export const RATIOS = {
  views_per_visit: (count: CountOf) => ratio(count('pageviews'), count('sessions'), 2),
  bounce_rate: (count: CountOf) => ratio(100 * count('bounces'), count('sessions'), 2),
  avg_session_seconds: (count: CountOf) =>
    ratio(count('durationMs'), 1000 * (count('sessions') - count('untimedSessions')), 2),
  time_on_page_seconds: (count: CountOf) =>
    count('engagedSessions') === 0 ? null : ratio(count('engagedMs'), 1000 * count('engagedSessions'), 2),
  scroll_depth: (count: CountOf) =>
    count('scrolledSessions') === 0 ? null : ratio(count('scrollSum'), count('scrolledSessions'), 2),
  conversion_rate: (count: CountOf, converting: bigint) => ratio(100n * converting, count('visitors'), 1),
  revenue_per_visitor: (count: CountOf, revenue: bigint) => ratio(revenue, count('visitors'), 2),
}

/** Sorts whose key needs the distinct visitors of the value where its amount is not 0. */
export const PER_VISITOR: ReadonlySet<Sort> = new Set(['conversion_rate', 'revenue_per_visitor'])

/** Returns what a value is sorted by: the number that answers show, or the value itself. */
export function sortKeyOf(sort: Sort, count: CountOf, amount: bigint, value: () => string): SortKey {
  switch (sort) {
    case 'visitors':
    case 'sessions':
    case 'pageviews':
      return count(sort)
    case 'converting_visitors':
    case 'revenue':
    case 'mrr':
      return amount
    case 'value':
      return value()
    default:
      return RATIOS[sort](count, amount)
  }
}

/** Compares keys in an order; null comes last. */
export function compareKeys(a: SortKey, b: SortKey, order: 'asc' | 'desc'): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const difference =
    typeof a === 'string' || typeof b === 'string'
      ? compareTexts(String(a), String(b))
      : Number(a > b) - Number(a < b)
  return order === 'asc' ? difference : -difference
}

/** What a row of a list of values has. */
export interface RowOf {
  value: string
  /** Counts that a metric is computed from. */
  countsFor(metric: string): CountOf
}

/** Returns rows in an order; ties by visitors, then by value. */
export function sortRows<Row>(
  rows: readonly Row[],
  { sort, order }: ValueOrder,
  { rowOf, amounts }: { rowOf: (row: Row) => RowOf; amounts: Amounts | undefined },
): Row[] {
  const amountOf = new Map(amounts?.values.map((value, index) => [value, amounts.amounts[index]!]))
  const keyed = rows.map(row => {
    const { value, countsFor } = rowOf(row)
    const amount = amountOf.get(value) ?? 0n
    return { row, value, count: countsFor(''), key: sortKeyOf(sort, countsFor(sort), amount, () => value) }
  })
  keyed.sort(
    (a, b) =>
      compareKeys(a.key, b.key, order) ||
      compareTied(sort, a.count, b.count) ||
      compareTexts(a.value, b.value),
  )
  return keyed.map(({ row }) => row)
}

/** Compares values with the same key, without the last criterion, the value itself. */
export function compareTied(sort: Sort, a: CountOf, b: CountOf): number {
  const byVisitors = b('visitors') - a('visitors')
  return byVisitors === 0 && sort === 'visitors' ? b('sessions') - a('sessions') : byVisitors
}
