import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { type RankedValue, type Ranking, runTask } from '../../rollups/protocol.ts'
import type { Page } from '../../schema/pagination.ts'
import { toWindow } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { canReadRollups, withValueRest } from './rolled-up.ts'

export type PageWindow = Pick<Ranking, 'limit' | 'offset'>

/**
 * Returns one page of values, sorted by the columns `by` and then by value.
 * @returns undefined when columns should answer: there are filters, or the days are not rolled up
 */
export async function rankRolledUp(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  asked: Pick<Ranking, 'dimension' | 'by' | 'shown' | 'limit' | 'offset'> &
    Partial<Pick<Ranking, 'leavesOutEmpty' | 'countsVisitors'>>,
): Promise<Page<RankedValue> | undefined> {
  if (!canReadRollups(resolved, asked.dimension)) return undefined
  const input = { leavesOutEmpty: false, ...asked, siteNo: resolved.siteNo, window: toWindow(resolved) }
  const ranked = await withValueRest(services, resolved, input, rest =>
    runTask(services.rollups, 'rankValues', { ...input, ...rest }),
  )
  return ranked ?? undefined
}

/** Returns the same page of values that were counted in another way. */
export function pageOf<Column extends string, Row extends Record<Column, number> & { value: string }>(
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

/**
 * Returns the counts of the given values, in their order; without `withVisitors`, `visitors` are 0.
 * @returns undefined as for `rankRolledUp`
 */
export async function countRolledUp(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  dimension: string,
  values: string[],
  { withVisitors = false } = {},
): Promise<RankedValue[] | undefined> {
  if (!canReadRollups(resolved, dimension)) return undefined
  const { siteNo } = resolved
  const input = { siteNo, window: toWindow(resolved), dimension, values, withVisitors }
  const counted = await withValueRest(services, resolved, input, rest =>
    runTask(services.rollups, 'countValues', { ...input, ...rest }),
  )
  return counted?.map((counts, index) => ({ ...counts, value: values[index]! }))
}
