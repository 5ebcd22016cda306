import { AppError, invalidField } from '../errors.ts'
import { statement, type Transaction } from '../infra/db.ts'
import { isReservedName } from '../ingestion/reserved-names.ts'
import type { GoalDefinition, GoalRecord } from './schema.ts'

/** Most goals of a site, those not counted that the service adds itself. */
export const MAX_GOALS = 1_000

const lockCurrency = statement<{ currency: string }>('lock-site-currency')
const findConflicts = statement<{ count: number; isNameTaken: boolean; hasTwin: boolean }>(
  'find-goal-conflicts',
)

/**
 * Makes whoever else changes the site's goals or its currency wait until the transaction ends.
 * @returns the site's currency
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function lockGoals(transaction: Transaction, siteNo: number): Promise<string> {
  const [site] = await lockCurrency(transaction, siteNo)
  if (!site) throw new AppError('not_found', 'No such site')
  return site.currency
}

/**
 * Whether the site can have the goal; the answer holds as long as `lockGoals` does.
 * @param present the goal as it is, when it is to be replaced: it may keep a reserved name
 * @throws AppError `validation_failed` for a reserved name, a currency that is not the site's, a goal or a name that
 * the site has, a site at its ceiling
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
