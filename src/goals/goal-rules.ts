import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { AppError, invalidField } from '../errors.ts'
import { isReservedName } from '../events/reserved-names.ts'
import { PatternWork } from '../rollups/patterns/match.ts'
import type { Services } from '../services.ts'
import { lockSiteCurrency } from '../sites/change-site.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { GoalDefinition, GoalRecord } from './schema.ts'

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
  if (isReserved(goal) && !(present && isReserved(present) && present.matchValue === goal.matchValue)) {
    throw invalidField('match_value', `${goal.matchValue} is a reserved name: only the service records it`)
  }
  if (goal.currency !== null && goal.currency !== site.currency) {
    throw invalidField('currency', `currency must be that of the site, ${site.currency}`)
  }
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

function isReserved({ type, matchValue }: GoalDefinition): boolean {
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
  const refusal = await patterns.enter(teamId, signal, () => new PatternWork(patterns, signal).check(tests))
  if (refusal?.why === 'invalid') throw invalidField('match_value', refusal.reason)
}
