import { type AppError, invalidField, invalidValue } from '../../platform/errors.ts'
import type { TimeSpan } from '../../platform/time/range.ts'
import { allSpellings } from '../../storage/events/source-spellings.ts'
import { checkTests } from '../../storage/patterns/check-tests.ts'
import type { RefusedTest } from '../../storage/patterns/pattern-protocol.ts'
import { isPattern, shortened } from '../conditions/conditions.ts'
import type { Question } from '../counts/question.ts'
import { propertiesOf, type ResolvedFilters, type ResolvedQuery } from '../filters/resolved-query.ts'
import { type Filters, filtersOf, type StatsQuery } from '../filters/stats-query.ts'
import { findGoals } from '../goals/find-goal.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { targetOf } from '../goals/goal-target.ts'
import { withoutMoneyGoals } from '../sharing/money-goals.ts'
import { checkGoals, type ResolveServices } from './check-goals.ts'

/**
 * Resolves the filters of a request for each of several time spans. Patterns stay patterns: count functions compare them with the texts of the site.
 * @throws AppError `validation_failed` for a goal of another site, and for a pattern that is invalid; `unavailable` when too many requests of the team
 * wait, or `signal` aborts
 */
export async function resolveQueries(
  services: ResolveServices,
  { siteNo, teamId }: { siteNo: number; teamId: string },
  given: Filters,
  spans: readonly TimeSpan[],
): Promise<ResolvedQuery[]> {
  const { patterns, signal, reads } = services
  const lists = [...(given.goalIds.length > 0 ? [given.goalIds] : []), ...(given.segmentGoalIds ?? [])]
  const goals: GoalRecord[][] = []
  for (const ids of lists) goals.push(await goalsOf(services, siteNo, ids))
  const tests = patternsOf(given)
  if (tests.length + goals.length > 0) {
    await patterns.enter(teamId, signal, async () => {
      const refusal = tests.length > 0 ? await checkTests(services, tests) : undefined
      if (refusal) throw refused(refusal, tests)
      for (const list of goals) await checkGoals(services, list)
    })
  }
  const filters: Question['filters'] = []
  for (const { dimension, condition } of given.dimensions) {
    const isSpelled = dimension === 'source' && ['is', 'is_not'].includes(condition.operator)
    const values = isSpelled ? await allSpellings(reads, siteNo, condition.values) : condition.values
    filters.push({ dimension, condition: { ...condition, values } })
  }
  return spans.map(({ start, end }) => ({
    siteNo,
    start,
    end,
    question: {
      start: start.getTime(),
      end: end.getTime(),
      filters,
      properties: propertiesOf(given),
      goals: goals.map(list => list.map(targetOf)),
      requested: given.goalIds.length > 0 ? 1 : 0,
    },
  }))
}

/**
 * Checks the patterns of filters that are accepted but not applied.
 * @throws AppError `validation_failed` for an invalid pattern
 */
export async function checkPatterns(
  services: Pick<ResolveServices, 'patterns' | 'signal'>,
  { teamId }: { teamId: string },
  query: Partial<StatsQuery>,
): Promise<void> {
  const given = patternsOf(filtersOf(query))
  if (given.length === 0) return
  await services.patterns.enter(teamId, services.signal, async () => {
    const refusal = await checkTests(services, given)
    if (refusal) throw refused(refusal, given)
  })
}

function patternsOf(filters: ResolvedFilters) {
  const properties = propertiesOf(filters).flatMap(({ keys, values }) => [...keys, ...values])
  return [...filters.dimensions.map(({ condition }) => condition), ...properties]
    .filter(isPattern)
    .flatMap(({ field, operator, values }) => values.map(value => ({ field, operator, value })))
}

/** @throws AppError `validation_failed` for a goal that the reader may not see, or of another site */
async function goalsOf(services: ResolveServices, siteNo: number, goalIds: string[]): Promise<GoalRecord[]> {
  if (goalIds.length === 0) return []
  const found = await findGoals(services.reads, siteNo, goalIds)
  const goals = await withoutMoneyGoals(services, found)
  if (goals.length < new Set(goalIds.map(id => id.toLowerCase())).size) {
    throw invalidField('goal', 'must be the id of a goal of the site')
  }
  return goals
}

/** @param tests the patterns to which `refusal.test` refers */
function refused({ test, reason }: RefusedTest, tests: { field: string; value: string }[]): AppError {
  const { field, value } = tests[test]!
  return invalidValue(field, `${shortened(value)} ${reason}`)
}
