import { statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { admitGoal, lockGoals } from './admission.ts'
import { definitionOf } from './definition.ts'
import { admitExpression } from './expression.ts'
import { presentGoal } from './present-goal.ts'
import type { Goal, GoalBody, GoalRecord } from './schema.ts'

const insertGoal = statement<GoalRecord>('create-goal')

/**
 * Creates a goal. A lock keeps the limit and the uniqueness of goals and names correct for concurrent requests.
 * @throws AppError `validation_failed` as in `admitGoal` and `admitExpression`; `not_found` when the site was deleted meanwhile
 */
export async function createGoal(
  services: Pick<Services, 'db' | 'patterns'> & { signal?: AbortSignal | undefined },
  site: Pick<SiteRecord, 'siteNo' | 'teamId'>,
  body: GoalBody,
): Promise<Goal> {
  const goal = definitionOf(body)
  await admitExpression(services, site, goal)
  const { siteNo } = site
  return services.db.begin(async transaction => {
    const currency = await lockGoals(transaction, siteNo)
    await admitGoal(transaction, { siteNo, currency }, goal)
    const [created] = await insertGoal(
      transaction,
      siteNo,
      goal.displayName,
      goal.type,
      goal.matchValue,
      goal.matchOperator,
      goal.scrollThreshold,
      goal.currency,
      JSON.stringify(goal.customProps),
    )
    return presentGoal(created!)
  })
}
