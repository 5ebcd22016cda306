import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'
import { invalidField } from '../../platform/errors.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { findGoals } from '../goals/find-goal.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { targetOf } from '../goals/goal-target.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { checkGoals } from '../resolve/check-goals.ts'
import { requireSection } from '../sharing/grant.ts'
import { withoutMoneyGoals } from '../sharing/money-goals.ts'

/**
 * Returns the distinct visitors with a conversion in the range by value: by that of the session that converted, or by each value
 * that a hit of this session has in the range, be it the hour of this hit. Absent values have none.
 * @throws AppError as `countAsked`
 */
export async function countConvertingByValue(
  services: Pick<StatsServices, 'counter'>,
  { timezone }: Pick<StatsSite, 'timezone'>,
  resolved: ResolvedQuery,
  goal: GoalRecord,
  dimension: BreakdownDimension,
): Promise<Map<string, number>> {
  const asked = { target: targetOf(goal), dimension, zone: timezone }
  return new Map(await countAsked(services, resolved, 'convertersByValue', asked))
}

/**
 * Returns the goal whose conversions are counted.
 * @throws AppError `forbidden` without the section `goals`; `validation_failed` for a goal that is unknown or hidden, or has an invalid
 * pattern
 */
export async function findConversionGoal(
  services: StatsServices,
  { siteNo, teamId }: StatsSite,
  goalId: string,
): Promise<GoalRecord> {
  const { reads, patterns, signal, grant } = services
  requireSection(grant, 'goals')
  const found = await findGoals(reads, siteNo, [goalId])
  return patterns.enter(teamId, signal, async () => {
    const [goal] = await withoutMoneyGoals(services, found)
    if (!goal) throw invalidField('conversion_goal', 'must be the id of a goal of the site')
    await checkGoals(services, [goal])
    return goal
  })
}
