import { statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { noSuchGoal } from './find-goal.ts'
import type { GoalRecord } from './schema.ts'

const removeGoal = statement<{ id: string }>('delete-goal')

/**
 * Deletes a goal.
 * @throws AppError `not_found` when the goal was deleted meanwhile
 */
export async function deleteGoal(
  { db }: Pick<Services, 'db'>,
  { siteNo }: Pick<SiteRecord, 'siteNo'>,
  { id }: Pick<GoalRecord, 'id'>,
): Promise<void> {
  const [gone] = await removeGoal(db, siteNo, id)
  if (!gone) throw noSuchGoal()
}
