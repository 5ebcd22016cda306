import { type GoalTarget, targetOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { statement } from '../../infra/db.ts'
import type { Services } from '../../infra/services.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { ConversionTargets } from './conversions.ts'

const listGoalValues = statement<{ kind: string; value: string }>('list-goal-values')

/**
 * What converts each of the goals, as rows to join hits with; `goal` is the index in `goals`.
 * Operators are applied to the values that occur in the span, in a thread: one definition for all databases.
 */
export async function findTargets(
  { reads, rollups }: Pick<Services, 'reads' | 'rollups'>,
  span: { siteNo: number; start: Date; end: Date },
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const targets = goals.map(targetOf)
  const found: ConversionTargets = { hits: [], scrolls: [] }
  const kinds = [...new Set(targets.map(({ kind }) => hitTypeOf(kind)))]
  const occurring = await listGoalValues(reads, span.siteNo, span.start, span.end, kinds)
  for (const kind of kinds) {
    const values = occurring.filter(row => row.kind === kind).map(row => row.value)
    const ofKind = targets.flatMap((target, goal) =>
      hitTypeOf(target.kind) === kind ? [{ target, goal }] : [],
    )
    const tests = ofKind.map(({ target: { operator, value } }) =>
      value === null ? { operator: 'contains' as const, value: '' } : { operator, value },
    )
    const matches = await runTask(rollups, 'matchValues', { tests, values })
    ofKind.forEach(({ target, goal }, index) => {
      for (const match of matches[index]!) add(found, goal, target, values[match]!)
    })
  }
  return found
}

/** A scroll is that of a pageview: its path is among theirs. */
const hitTypeOf = (kind: GoalTarget['kind']) => (kind === 'engagement' ? 'pageview' : kind)

function add(
  found: ConversionTargets,
  goal: number,
  { kind, scrollThreshold, props }: GoalTarget,
  value: string,
): void {
  if (kind === 'engagement' && scrollThreshold !== null && scrollThreshold > 0) {
    found.scrolls.push({ goal, path: value, threshold: scrollThreshold })
    return
  }
  // Every pageview is scrolled to 0 %, with or without engagement.
  const propsText = Object.keys(props).length > 0 ? JSON.stringify(props) : null
  found.hits.push({ goal, kind: hitTypeOf(kind), value, props: propsText })
}
