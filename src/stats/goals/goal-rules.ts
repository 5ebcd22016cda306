import { lockSiteCurrency } from '../../access/sites/change-site.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { isReservedName } from '../../storage/events/reserved-names.ts'
import { checkTests } from '../../storage/patterns/check-tests.ts'
import type { GoalDefinition, GoalRecord } from './goal-schema.ts'

/** Most goals of a site. Goals that the service adds itself are not limited. */
export const MAX_GOALS = 1_000

/** A goal's definition as parameters of a statement; `customProps` is JSON as text. */
export type DefinitionParams = Omit<GoalDefinition, 'customProps'> & { customProps: string }

export const paramsOf = (goal: GoalDefinition): DefinitionParams => ({
  ...goal,
  customProps: JSON.stringify(goal.customProps),
})

/** Conflicts of a goal with the others of the site; `id` of the goal itself, null for a new one. Always one row. */
const findGoalConflicts = query<
  Omit<DefinitionParams, 'currency'> & { siteNo: number; id: string | null },
  { count: number; isNameTaken: boolean; hasTwin: boolean }
>(
  'find-goal-conflicts',
  `select
    count(*)::int as count,
    coalesce(bool_or(display_name = :displayName::text), false) as "isNameTaken",
    coalesce(bool_or(
      type = :type::text
      and match_value is not distinct from :matchValue::text
      and match_operator = :matchOperator::text
      and scroll_threshold = :scrollThreshold::int
      and custom_props = :customProps::text::jsonb
    ), false) as "hasTwin"
  from goals
  where site_no = :siteNo and id is distinct from :id::uuid`,
)

/**
 * Locks the site's goals and its currency against changes by other transactions until this transaction ends.
 * @returns the site's currency
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function lockGoals(transaction: Transaction, siteNo: number): Promise<string> {
  const [site] = await lockSiteCurrency(transaction, { siteNo })
  if (!site) throw new AppError('not_found', 'No such site')
  return site.currency
}

/**
 * Checks that the site can have the goal. The result is valid while the lock of `lockGoals` is held.
 * @param present the current goal, when it is replaced: it can keep a reserved name
 * @throws AppError `validation_failed` for a reserved name, a currency other than the site's, an identical goal, a display
 * name that is in use, or a site with MAX_GOALS goals
 */
export async function checkGoal(
  transaction: Transaction,
  site: { siteNo: number; currency: string },
  goal: GoalDefinition,
  present?: GoalRecord,
): Promise<void> {
  requireOwnName(goal, present ? [present] : [])
  requireCurrencyOf(site, goal)
  const [found] = await findGoalConflicts(transaction, {
    ...paramsOf(goal),
    siteNo: site.siteNo,
    id: present?.id ?? null,
  })
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

/**
 * @param present goals that may keep the reserved name they have
 * @param field what the error names
 * @throws AppError `validation_failed` for an event goal with a reserved name
 */
export function requireOwnName(
  goal: GoalDefinition,
  present: readonly GoalDefinition[],
  field = 'match_value',
): void {
  if (!isReserved(goal)) return
  if (present.some(other => isReserved(other) && other.matchValue === goal.matchValue)) return
  throw invalidField(field, `${goal.matchValue} is a reserved name: only the service records it`)
}

/** @throws AppError `validation_failed` for a goal with a currency other than the site's */
export function requireCurrencyOf(
  site: { currency: string },
  goal: GoalDefinition,
  field = 'currency',
): void {
  if (goal.currency === null || goal.currency === site.currency) return
  throw invalidField(field, `${field} must be that of the site, ${site.currency}`)
}

/** Returns whether only the service records what converts the goal. */
export function isReserved({ type, matchValue }: GoalDefinition): boolean {
  return type === 'event' && isReservedName(matchValue!)
}

/**
 * Checks the regular expression of a goal, if it has one. A worker thread compiles it: this can take some hundred
 * milliseconds, in which the main thread could not serve other requests.
 * @throws AppError `validation_failed` when the expression is invalid
 */
export async function checkExpression(
  { patterns, signal }: Pick<Services, 'patterns'> & { signal?: AbortSignal | undefined },
  { teamId }: Pick<SiteRecord, 'teamId'>,
  { matchOperator, matchValue }: GoalDefinition,
): Promise<void> {
  if (matchOperator !== 'matches_regex' || matchValue === null) return
  const tests = [{ operator: matchOperator, value: matchValue }]
  const refusal = await patterns.enter(teamId, signal, () => checkTests({ patterns, signal }, tests))
  if (refusal) throw invalidField('match_value', refusal.reason)
}
