import { invalidField } from '../errors.ts'
import type { Services } from '../infra/services.ts'
import { PatternWork } from '../rollups/patterns/match.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { GoalDefinition } from './schema.ts'

/**
 * Checks the regular expression of a goal, if it has one. A worker thread compiles it: this can take some hundred
 * milliseconds, in which the main thread could not serve other requests.
 * @throws AppError `validation_failed` when the expression is invalid
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
