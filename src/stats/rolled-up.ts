import { isRolledUpDimension } from '../rollups/daily/dimensions.ts'
import { type RankedValue, type Ranking, runTask, type Tasks } from '../rollups/protocol.ts'
import { isUnfiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import type { StatsServices } from './question.ts'
import { toWindow } from './time/range.ts'

/**
 * Returns one page of a dimension's values from daily rollups, computed in a thread.
 * @returns undefined when hits must be read: there are filters, or the dimension or the days are not rolled up
 */
export async function rankRolledUp(
  { rollups }: Pick<StatsServices, 'rollups'>,
  scope: Scope,
  ranking: Omit<Ranking, 'siteNo' | 'window' | 'leavesOutEmpty'> & { leavesOutEmpty?: boolean },
): Promise<{ rows: RankedValue[]; total: number } | undefined> {
  if (!isUnfiltered(scope) || !isRolledUpDimension(ranking.dimension)) return undefined
  const ranked = await runTask(rollups, 'rankValues', {
    leavesOutEmpty: false,
    ...ranking,
    siteNo: scope.siteNo,
    window: toWindow(scope),
  })
  return ranked ?? undefined
}

/**
 * Returns the counts of the given values, without visitors.
 * @returns as `rankRolledUp`
 */
export async function countRolledUp(
  { rollups }: Pick<StatsServices, 'rollups'>,
  scope: Scope,
  dimension: string,
  values: string[],
): Promise<NonNullable<Tasks['countValues']['output']> | undefined> {
  if (!isUnfiltered(scope) || !isRolledUpDimension(dimension)) return undefined
  const counted = await runTask(rollups, 'countValues', {
    siteNo: scope.siteNo,
    window: toWindow(scope),
    dimension,
    values,
  })
  return counted ?? undefined
}
