import type { Page } from '../../platform/schema/pagination.ts'
import { toWindow } from '../../platform/time/range.ts'
import { type RankedValue, type Ranking, runTask } from '../../storage/rollups/protocol.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'
import { withValueRest } from './rolled-up.ts'

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
  if (sourceOf('values', resolved, asked.dimension) !== 'rollups') return undefined
  const input = { leavesOutEmpty: false, ...asked, siteNo: resolved.siteNo, window: toWindow(resolved) }
  const ranked = await withValueRest(services, resolved, input, rest =>
    runTask(services.rollups, 'rankValues', { ...input, ...rest }),
  )
  return ranked ?? undefined
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
  if (sourceOf('values', resolved, dimension) !== 'rollups') return undefined
  const { siteNo } = resolved
  const input = { siteNo, window: toWindow(resolved), dimension, values, withVisitors }
  const counted = await withValueRest(services, resolved, input, rest =>
    runTask(services.rollups, 'countValues', { ...input, ...rest }),
  )
  return counted?.map((counts, index) => ({ ...counts, value: values[index]! }))
}
