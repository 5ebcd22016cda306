import { isFoldedDimension } from '../rollups/folds/dimensions.ts'
import { type RankedValue, type Ranking, runTask, type Tasks } from '../rollups/protocol.ts'
import { isUnfiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import type { StatsServices } from './question.ts'
import { toWindow } from './time/range.ts'

/**
 * A page of a dimension's values from what days fold, in a thread.
 * @returns undefined where hits have to be read: when something narrows them, the dimension is not folded, or the days are not
 */
export async function rankFolded(
  { rollups }: Pick<StatsServices, 'rollups'>,
  scope: Scope,
  ranking: Omit<Ranking, 'siteNo' | 'window' | 'leavesOutEmpty'> & { leavesOutEmpty?: boolean },
): Promise<{ rows: RankedValue[]; total: number } | undefined> {
  if (!isUnfiltered(scope) || !isFoldedDimension(ranking.dimension)) return undefined
  const ranked = await runTask(rollups, 'rankValues', {
    leavesOutEmpty: false,
    ...ranking,
    siteNo: scope.siteNo,
    window: toWindow(scope),
  })
  return ranked ?? undefined
}

/**
 * What each of some values counts, all but visitors.
 * @returns as `rankFolded`
 */
export async function countFolded(
  { rollups }: Pick<StatsServices, 'rollups'>,
  scope: Scope,
  dimension: string,
  values: string[],
): Promise<NonNullable<Tasks['countValues']['output']> | undefined> {
  if (!isUnfiltered(scope) || !isFoldedDimension(dimension)) return undefined
  const counted = await runTask(rollups, 'countValues', {
    siteNo: scope.siteNo,
    window: toWindow(scope),
    dimension,
    values,
  })
  return counted ?? undefined
}
