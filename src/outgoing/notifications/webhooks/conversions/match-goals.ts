import { groupBy } from '../../../../platform/lib/group-by.ts'
import type { FairPool } from '../../../../platform/threads/fair-pool.ts'
import type { GoalRecord } from '../../../../stats/goals/goal-schema.ts'
import { type GoalTarget, targetOf, testOf } from '../../../../stats/goals/goal-target.ts'
import type { EachBatch, EachMatches } from '../../../../storage/patterns/pattern-protocol.ts'

/** A stored hit, as far as goals compare it. */
export interface ComparedHit {
  type: string
  name: string
  path: string
  props: Record<string, string> | null
  scroll: number | null
}

/** CPU time of one goal, for fewer than 500 hits. An ordinary expression takes 1 to 5 ms, most of it to compile. */
const GOAL_MS = 100
/** CPU time after which the thread has its turn for other sites. */
const TURN_MS = 100
/** Most goals of one turn: handling their matches must not hold up the event loop. */
const MOST_GOALS = 50

export interface Handlers<Hit> {
  /** Called for each conversion. */
  found: (goal: GoalRecord, hit: Hit) => void
  /** Called with each goal that cannot be looked for. */
  refused: (goal: GoalRecord, why: 'invalid' | 'slow') => void
}

/**
 * Finds which hits convert which goals, by the rules of the goal report (docs/metrics.md "Goal report"). Runs in a pattern thread,
 * in turns of a tenth of a second.
 * @returns the CPU time that it took, in milliseconds
 */
export async function matchGoals<Hit extends ComparedHit>(
  patterns: Pick<FairPool, 'run'>,
  goals: readonly GoalRecord[],
  hits: readonly Hit[],
  { found, refused }: Handlers<Hit>,
): Promise<number> {
  const targets = goals.map(goal => ({ goal, target: targetOf(goal) }))
  let usedMs = 0
  for (const [type, ofType] of groupBy(hits, hit => hit.type)) {
    const wanted = targets.filter(({ target }) => hitTypeOf(target) === type)
    if (wanted.length === 0) continue
    // All goals of a hit type compare the same field.
    const byValue = groupBy(ofType, hit => comparedValue(wanted[0]!.target, hit))
    const values = [...byValue.keys()]
    for (let first = 0; first < wanted.length; ) {
      const tests = wanted.slice(first, first + MOST_GOALS).map(({ target }) => testOf(target))
      const input: EachBatch = { tests, values, testMs: GOAL_MS, budgetMs: TURN_MS }
      const turn = (await patterns.run('matchEach', input)) as EachMatches
      usedMs += turn.usedMs
      for (const [position, result] of turn.results.entries()) {
        const { goal, target } = wanted[first + position]!
        if (typeof result === 'string') {
          refused(goal, result)
          continue
        }
        for (const index of result) {
          for (const hit of byValue.get(values[index]!)!) if (hasRest(target, hit)) found(goal, hit)
        }
      }
      first += turn.results.length
    }
  }
  return usedMs
}

/** Every pageview reaches a scroll of 0 %, with or without engagement. */
const hitTypeOf = ({ kind, scrollThreshold }: GoalTarget) =>
  kind === 'engagement' && scrollThreshold === 0 ? 'pageview' : kind

const comparedValue = ({ on }: GoalTarget, { path, name, props }: ComparedHit): string =>
  on === 'path' ? path : on === 'name' ? name : (props?.selector ?? '')

function hasRest({ props, scrollThreshold }: GoalTarget, hit: ComparedHit): boolean {
  for (const key in props) if (hit.props?.[key] !== props[key]) return false
  return hit.type !== 'engagement' || (hit.scroll ?? 0) >= (scrollThreshold ?? 0)
}
