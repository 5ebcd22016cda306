import { LRUCache } from 'lru-cache'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Services } from '../../platform/services.ts'
import { LIFECYCLE_NAMES } from '../../storage/events/reserved-names.ts'
import type { EachBatch, EachMatches } from '../../storage/patterns/pattern-protocol.ts'
import { compileMatch } from '../../storage/patterns/value-match.ts'
import { listAllGoals } from '../goals/find-goal.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { targetOf, testOf } from '../goals/goal-target.ts'
import { type Grant, mayShow } from './grant.ts'

type PatternParts = Pick<Services, 'patterns'> & { signal?: AbortSignal | undefined; grant: Grant | null }

/** CPU time limit of an expression, for the few names of events of money. */
const TEST_MS = 1_500

/** Whether a regular expression matches the name of an event of money. Expressions compile in threads, so it is kept. */
const matchesMoney = new LRUCache<string, boolean>({ max: 10_000 })

/**
 * Returns the goals that a reader may see: without the section `revenue`, none that events of money can convert. Their names are a
 * finite list, so the goals that accept one of them are known without their hits.
 * The caller has a place in the pattern pool if one of the goals is a regular expression that `isKnown` does not know.
 */
export async function withoutMoneyGoals(services: PatternParts, goals: GoalRecord[]): Promise<GoalRecord[]> {
  if (mayShow(services.grant, 'revenue')) return goals
  const shown: GoalRecord[] = []
  for (const goal of goals) {
    if (!(await acceptsMoney(services, goal))) shown.push(goal)
  }
  return shown
}

const isRegex = ({ type, matchOperator }: GoalRecord) => type === 'event' && matchOperator === 'matches_regex'

const isKnown = (goal: GoalRecord) => !isRegex(goal) || matchesMoney.has(goal.matchValue!)

/** Returns the goals of a site that a reader may see, by display name. */
export async function listVisibleGoals(
  services: PatternParts & Pick<Services, 'db'>,
  { siteNo, teamId }: Pick<SiteRecord, 'siteNo' | 'teamId'>,
): Promise<GoalRecord[]> {
  const { db, patterns, signal, grant } = services
  const goals = await listAllGoals(db, siteNo)
  const select = () => withoutMoneyGoals(services, goals)
  return mayShow(grant, 'revenue') || goals.every(isKnown) ? select() : patterns.enter(teamId, signal, select)
}

async function acceptsMoney(services: PatternParts, goal: GoalRecord): Promise<boolean> {
  if (goal.type !== 'event') return false
  const test = testOf(targetOf(goal))
  if (!isRegex(goal)) return LIFECYCLE_NAMES.some(compileMatch(test.operator, test.value))
  const known = matchesMoney.get(test.value)
  if (known !== undefined) return known
  const input: EachBatch = { tests: [test], values: [...LIFECYCLE_NAMES], testMs: TEST_MS, budgetMs: 0 }
  const { results } = (await services.patterns.run('matchEach', input, services.signal)) as EachMatches
  // An expression that cannot be compared is not shown.
  const isMoney = typeof results[0] === 'string' || results[0]!.length > 0
  matchesMoney.set(test.value, isMoney)
  return isMoney
}
