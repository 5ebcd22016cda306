import type { Dimension } from '../../platform/dimensions/dimensions.ts'
import type { Page } from '../../platform/schema/pagination.ts'
import type { View } from '../../storage/columns/block.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import type { RankedValue } from '../../storage/rollups/protocol.ts'
import { type Amounts, sortRows, type ValueOrder } from '../../storage/rollups/value-order.ts'
import { searcherOf } from '../../storage/rollups/value-search.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { countErrors, type ErrorCounts } from './errors.ts'
import { countFrequencies, type Frequency } from './frequencies.ts'
import type { Question } from './question.ts'
import { countValues, type ValuesAsked } from './values.ts'

// Pages are cut where values are counted: a site may have a million paths, and a caller wants ten of them.

/** Which page of the values of a dimension is wanted, and in which order. */
export interface ValuePageAsked extends ValueOrder, PageWindow {
  search: string | undefined
  /** Required by sorts by money and conversions. */
  amounts?: Amounts | undefined
}

/** Returns a page of the values with visitors or sessions that match the search. */
export function findValues(
  view: View,
  question: Question,
  { search, limit, offset, amounts, sort, order, ...subject }: ValuesAsked & ValuePageAsked,
): Page<RankedValue> {
  const isFound = searcherOf(search)
  const found = countValues(view, question, subject).filter(
    ({ visitors, sessions, value }) => visitors + sessions > 0 && isFound(value),
  )
  const rowOf = (row: RankedValue) => ({
    value: row.value,
    countsFor: () => (column: keyof Omit<RankedValue, 'value'>) => row[column],
  })
  const sorted = sortRows(found, { sort, order }, { rowOf, amounts })
  return { rows: sorted.slice(offset, offset + limit), total: found.length }
}

/** Returns the counts of given values; those that do not occur are absent. */
export function countGivenValues(
  view: View,
  question: Question,
  { values, ...subject }: ValuesAsked & { values: string[] },
): RankedValue[] {
  const wanted = new Set(values)
  return countValues(view, question, subject).filter(({ value }) => wanted.has(value))
}

/** Returns a page of titles, most sessions first; ties by pageviews. */
export function findTitles(view: View, question: Question, page: PageWindow): Page<RankedValue> {
  const counted = countValues(view, question, { dimension: 'title', zone: 'UTC' })
  const titles = counted.filter(({ value, sessions, pageviews }) => value !== '' && sessions + pageviews > 0)
  return pageOf(titles, ['sessions', 'pageviews'], page)
}

/** Returns a page of the values of a dimension, the most frequent first. */
export const findFrequent = (
  view: View,
  question: Question,
  { dimension, ...page }: { dimension: Dimension } & PageWindow,
): Page<Frequency> => pageOf(countFrequencies(view, question, { dimension }), ['count'], page)

/** Returns a page of the errors in the range, the most frequent first; ties by sessions. */
export const findErrors = (view: View, question: Question, page: PageWindow): Page<ErrorCounts> =>
  pageOf(
    countErrors(view, question, {}).filter(({ hits }) => hits > 0),
    ['hits', 'sessions'],
    page,
  )

/** Returns a page of rows, sorted by the columns `by` and then by value. */
function pageOf<Column extends string, Row extends Record<Column, number> & { value: string }>(
  counted: readonly Row[],
  by: readonly Column[],
  { limit, offset }: PageWindow,
): Page<Row> {
  const rows = counted.toSorted((a, b) => {
    const column = by.find(each => a[each] !== b[each])
    return column ? b[column] - a[column] : compareTexts(a.value, b.value)
  })
  return { rows: rows.slice(offset, offset + limit), total: rows.length }
}
