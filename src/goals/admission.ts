import { AppError, invalidField } from '../errors.ts'
import { statement, type Transaction } from '../infra/db.ts'
import { isReservedName } from '../ingestion/reserved-names.ts'
import type { GoalDefinition, GoalRecord } from './schema.ts'

/** Most goals of a site. Goals that the service adds itself are not limited. */
export const MAX_GOALS = 1_000

const lockCurrency = statement<{ currency: string }>('lock-site-currency')
const findConflicts = statement<{ count: number; isNameTaken: boolean; hasTwin: boolean }>(
  'find-goal-conflicts',
)

/**
 * Locks the site's goals and its currency against changes by other transactions until this transaction ends.
 * @returns the site's currency
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function lockGoals(transaction: Transaction, siteNo: number): Promise<string> {
  const [site] = await lockCurrency(transaction, siteNo)
  if (!site) throw new AppError('not_found', 'No such site')
  return site.currency
}

/**
 * Checks that the site can have the goal. The result is valid while the lock of `lockGoals` is held.
 * @param present the current goal, when it is replaced: it can keep a reserved name
 * @throws AppError `validation_failed` for a reserved name, a currency other than the site's, an identical goal, a display
 * name that is in use, or a site with MAX_GOALS goals
 */
export async function admitGoal(
  transaction: Transaction,
  site: { siteNo: number; currency: string },
  goal: GoalDefinition,
  present?: GoalRecord,
): Promise<void> {
  if (isReserved(goal) && !(present && isReserved(present) && present.matchValue === goal.matchValue)) {
    throw invalidField('match_value', `${goal.matchValue} is a reserved name: only the service records it`)
  }
  if (goal.currency !== null && goal.currency !== site.currency) {
    throw invalidField('currency', `currency must be that of the site, ${site.currency}`)
  }
  const [found] = await findConflicts(
    transaction,
    site.siteNo,
    present?.id ?? null,
    goal.displayName,
    goal.type,
    goal.matchValue,
    goal.matchOperator,
    goal.scrollThreshold,
    JSON.stringify(goal.customProps),
  )
  if (found!.hasTwin) throw invalidField('match_value', 'The site already has an identical goal')
  if (found!.isNameTaken) {
    throw invalidField(
      'display_name',
      `The site already has a goal with the display name ${goal.displayName}`,
    )
  }
  if (!present && found!.count >= MAX_GOALS) {
    throw invalidField('body', `The site already has ${MAX_GOALS} goals`)
  }
}

function isReserved({ type, matchValue }: GoalDefinition): boolean {
  return type === 'event' && isReservedName(matchValue!)
}
