import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { checkTests } from '../../storage/patterns/check-tests.ts'
import { wholeValuesOf } from '../../storage/patterns/value-match.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { targetOf, testOf } from '../goals/goal-target.ts'
import type { Grant } from '../sharing/grant.ts'

export type ResolveServices = Pick<
  Services,
  'reads' | 'rollups' | 'readsInParts' | 'patterns' | 'now' | 'counter'
> & {
  signal?: AbortSignal | undefined
  /** What the reader may see; null for users, who see everything. */
  grant: Grant | null
}

/**
 * Checks goals that count functions will look for.
 * @throws AppError `validation_failed` for one whose pattern is invalid
 */
export async function checkGoals(
  services: Pick<ResolveServices, 'patterns' | 'signal'>,
  goals: readonly GoalRecord[],
): Promise<void> {
  const compared = goals.filter(goal => {
    const { operator, value } = targetOf(goal)
    return value !== null && !wholeValuesOf(operator, value)
  })
  if (compared.length === 0) return
  const refusal = await checkTests(
    services,
    compared.map(goal => testOf(targetOf(goal))),
  )
  if (!refusal) return
  const { displayName, id } = compared[refusal.test]!
  const message = `The goal ${displayName} (${id}) cannot be looked for: its match_value ${refusal.reason}; change or delete it`
  throw new AppError('validation_failed', message, { fields: { goal: [message] } })
}
