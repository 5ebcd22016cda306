import { isRolledUpDimension } from '../../dimensions/rolled-up.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { type RankedValue, type Ranking, runTask } from '../../rollups/protocol.ts'
import type { Page } from '../../schema/pagination.ts'
import type { Services } from '../../services.ts'
import { toWindow } from '../../time/range.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import { mergeSlices } from '../sql/slices.ts'

export type PageWindow = Pick<Ranking, 'limit' | 'offset'>

/** A value with some of its counts, in the form of daily rollups. */
export type ValueCounts<Column extends keyof RankedValue> = Pick<RankedValue, Column | 'value'>

/** Counts of a value in one slice: visitors instead of their number, since other slices may have the same visitors. */
export type SliceCounts<Column extends keyof RankedValue> = Omit<ValueCounts<Column>, 'visitors'> & {
  visitors?: Buffer | null
}

export interface RankOptions<Column extends keyof RankedValue>
  extends Pick<Ranking, 'by' | 'shown' | 'limit' | 'offset'>,
    Partial<Pick<Ranking, 'leavesOutEmpty' | 'zone' | 'countsVisitors'>> {
  /** Dimension of the daily rollups; undefined when they lack some of the values. */
  dimension: string | undefined
  /** Ranks hits and sessions in the database. Every row has the total; an empty page may be one row of nulls. */
  rankRows: () => Promise<(ValueCounts<Column> & { total?: number })[]>
  /** Counts all values from columns of sessions; undefined when rows should answer. */
  countColumns?: () => Promise<RankedValue[] | undefined>
  /** Counts all values, where the database reads rows in slices; without it, such a database also ranks. */
  countSlices?: () => Promise<SliceCounts<Column>[]>
}

/**
 * Returns one page of values, sorted by the columns `by` and then by value. Reads daily rollups when there are no filters and
 * they have the dimension and the days; otherwise hits and sessions.
 */
export async function rank<Column extends keyof RankedValue>(
  services: Pick<Services, 'rollups' | 'slices'>,
  resolved: ResolvedQuery,
  { dimension, rankRows, countColumns, countSlices, leavesOutEmpty = false, ...order }: RankOptions<Column>,
): Promise<Page<ValueCounts<Column>>> {
  if (dimension && canReadRollups(resolved, dimension)) {
    const { siteNo } = resolved
    const window = toWindow(resolved)
    const input = { ...order, siteNo, window, dimension, leavesOutEmpty }
    const ranked = await runTask(services.rollups, 'rankValues', input)
    if (ranked) return ranked
  }
  const counted = await countColumns?.()
  if (counted) return pageOf(leavesOutEmpty ? counted.filter(({ value }) => value !== '') : counted, order)
  if (services.slices && countSlices) {
    const merged = mergeSlices(await countSlices(), ({ value }) => value)
    return pageOf(merged as unknown as RankedValue[], order)
  }
  const rows = await rankRows()
  return { rows: rows.filter(({ value }) => value !== null), total: rows[0]?.total ?? rows.length }
}

/**
 * Returns the counts of the given values, in their order; without `withVisitors`, `visitors` are 0.
 * @returns undefined when hits must be read: there are filters, or the days are not rolled up
 */
export async function countRolledUp(
  { rollups }: Pick<Services, 'rollups'>,
  resolved: ResolvedQuery,
  dimension: string,
  values: string[],
  { withVisitors = false } = {},
): Promise<RankedValue[] | undefined> {
  if (!canReadRollups(resolved, dimension)) return undefined
  const { siteNo } = resolved
  const input = { siteNo, window: toWindow(resolved), dimension, values, withVisitors }
  const counted = await runTask(rollups, 'countValues', input)
  return counted?.map((counts, index) => ({ ...counts, value: values[index]! }))
}

const canReadRollups = (resolved: ResolvedQuery, dimension: string): boolean =>
  isUnfiltered(resolved) && isRolledUpDimension(dimension)

function pageOf<Column extends keyof RankedValue>(
  counted: readonly RankedValue[],
  { by, shown, limit, offset }: Pick<Ranking, 'by' | 'shown' | 'limit' | 'offset'>,
): Page<ValueCounts<Column>> {
  const rows = counted.filter(row => shown.some(column => row[column] > 0))
  rows.sort((a, b) => {
    const column = by.find(each => a[each] !== b[each])
    return column ? b[column] - a[column] : compareTexts(a.value, b.value)
  })
  return { rows: rows.slice(offset, offset + limit), total: rows.length }
}
