import { AppError } from '../errors.ts'
import { type Queryable, statement } from '../infra/db.ts'
import { isUuid } from '../sites/domain.ts'
import type { GoalRecord } from './schema.ts'

const selectGoals = statement<GoalRecord>('list-goals')

/**
 * Returns goals of a site, the newest first.
 * @param ids ids of the goals to return; null for all
 */
export function findGoals(db: Queryable, siteNo: number, ids: string[] | null): Promise<GoalRecord[]> {
  return selectGoals(db, siteNo, ids)
}

/**
 * Returns a goal of a site.
 * @throws AppError `not_found`, the same for an invalid id, an unknown id and a goal of another site
 */
export async function findGoal(db: Queryable, siteNo: number, id: string): Promise<GoalRecord> {
  const [goal] = isUuid(id) ? await findGoals(db, siteNo, [id]) : []
  if (!goal) throw noSuchGoal()
  return goal
}

export function noSuchGoal(): AppError {
  return new AppError('not_found', 'No such goal')
}
