import { statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { admitGoal, lockGoals } from './admission.ts'
import { definitionOf } from './definition.ts'
import { admitExpression } from './expression.ts'
import { findGoal, noSuchGoal } from './find-goal.ts'
import { presentGoal } from './present-goal.ts'
import type { Goal, GoalBody, GoalRecord } from './schema.ts'

const writeGoal = statement<GoalRecord>('update-goal')

/**
 * Replaces the whole definition of a goal; its id and creation time stay.
 * @throws AppError `validation_failed` as in `admitGoal` and `admitExpression`; `not_found` when the goal or its site was
 * deleted meanwhile
 */
export async function updateGoal(
  services: Pick<Services, 'db' | 'patterns'> & { signal?: AbortSignal | undefined },
  site: Pick<SiteRecord, 'siteNo' | 'teamId'>,
  { id }: Pick<GoalRecord, 'id'>,
  body: GoalBody,
): Promise<Goal> {
  const goal = definitionOf(body)
  await admitExpression(services, site, goal)
  const { siteNo } = site
  return services.db.begin(async transaction => {
    const currency = await lockGoals(transaction, siteNo)
    const present = await findGoal(transaction, siteNo, id)
    await admitGoal(transaction, { siteNo, currency }, goal, present)
    const [changed] = await writeGoal(
      transaction,
      siteNo,
      id,
      goal.displayName,
      goal.type,
      goal.matchValue,
      goal.matchOperator,
      goal.scrollThreshold,
      goal.currency,
      JSON.stringify(goal.customProps),
    )
    if (!changed) throw noSuchGoal()
    return presentGoal(changed)
  })
}
