import { invalidField } from '../errors.ts'
import type { Services } from '../infra/services.ts'
import { PatternWork } from '../rollups/patterns/match.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { GoalDefinition } from './schema.ts'

/**
 * Whether the regular expression of a goal, if it has one, is valid. It is compiled in a thread: that may take some
 * hundred milliseconds, for which this process would answer nobody.
 * @throws AppError `validation_failed` when it is not
 */
export async function admitExpression(
  { patterns, signal }: Pick<Services, 'patterns'> & { signal?: AbortSignal | undefined },
  { teamId }: Pick<SiteRecord, 'teamId'>,
  { matchOperator, matchValue }: GoalDefinition,
): Promise<void> {
  if (matchOperator !== 'matches_regex' || matchValue === null) return
  const tests = [{ operator: matchOperator, value: matchValue }]
  const refusal = await patterns.enter(teamId, signal, () => new PatternWork(patterns, signal).check(tests))
  if (refusal?.why === 'invalid') throw invalidField('match_value', `match_value ${refusal.reason}`)
}
