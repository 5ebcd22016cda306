import { type GoalTarget, targetOf, testOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { PatternWork } from '../../rollups/patterns/match.ts'
import type { FairPool } from '../../threads/fair-pool.ts'

/** A stored hit, as far as goals compare it. */
export interface ComparedHit {
  type: string
  name: string
  path: string
  props: Record<string, string> | null
  scroll: number | null
}

const MOST_MATCHES = 10_000_000

/**
 * Finds which hits convert which goals, by the rules of the goal report (docs/metrics.md "Goal report").
 * @param refused called with each goal whose value cannot be looked for, as in the goal report
 */
export async function matchGoals<Hit extends ComparedHit>(
  patterns: Pick<FairPool, 'run'>,
  goals: readonly GoalRecord[],
  hits: readonly Hit[],
  refused: (goal: GoalRecord) => void,
): Promise<{ goal: GoalRecord; hit: Hit }[]> {
  const found: { goal: GoalRecord; hit: Hit }[] = []
  const work = new PatternWork(patterns, undefined)
  for (const type of new Set(hits.map(hit => hit.type))) {
    const ofType = hits.filter(hit => hit.type === type)
    const wanted = goals
      .map(goal => ({ goal, target: targetOf(goal) }))
      .filter(({ target }) => hitTypeOf(target) === type)
    const isMatch = await compare(work, wanted, ofType, refused)
    for (const { goal, target } of wanted) {
      const converting = ofType.filter(
        hit => hasRest(target, hit) && isMatch(goal, comparedValue(target, hit)),
      )
      found.push(...converting.map(hit => ({ goal, hit })))
    }
  }
  return found
}

/** Every pageview reaches a scroll of 0 %, with or without engagement. */
const hitTypeOf = ({ kind, scrollThreshold }: GoalTarget) =>
  kind === 'engagement' && scrollThreshold === 0 ? 'pageview' : kind

const comparedValue = ({ on }: GoalTarget, { path, name, props }: ComparedHit): string =>
  on === 'path' ? path : on === 'name' ? name : (props?.selector ?? '')

const hasRest = ({ props, scrollThreshold }: GoalTarget, hit: ComparedHit): boolean =>
  Object.entries(props).every(([key, value]) => hit.props?.[key] === value) &&
  (hit.type !== 'engagement' || (hit.scroll ?? 0) >= (scrollThreshold ?? 0))

interface Wanted {
  goal: GoalRecord
  target: GoalTarget
}

/** Compares all values with all goals in a pattern thread, since an expression may take long. */
async function compare(
  work: PatternWork,
  wanted: readonly Wanted[],
  hits: readonly ComparedHit[],
  refused: (goal: GoalRecord) => void,
): Promise<(goal: GoalRecord, value: string) => boolean> {
  const matches = new Map<GoalRecord, Set<string>>()
  // All goals of a hit type compare the same field.
  const values = wanted[0] ? [...new Set(hits.map(hit => comparedValue(wanted[0]!.target, hit)))] : []
  for (let left = [...wanted]; left.length > 0; ) {
    matches.clear()
    const tests = left.map(({ target }) => testOf(target))
    const refusal = await work.match({ tests, values, most: MOST_MATCHES }, (test, indices, batch) => {
      const { goal } = left[test]!
      const known = matches.get(goal) ?? new Set()
      for (const index of indices) known.add(batch[index]!)
      matches.set(goal, known)
    })
    if (!refusal) break
    const worst = refusal.why === 'many' ? 0 : refusal.test
    refused(left[worst]!.goal)
    left = left.filter((_, index) => index !== worst)
  }
  return (goal, value) => matches.get(goal)?.has(value) === true
}
