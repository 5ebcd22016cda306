import { invalidField } from '../../errors.ts'
import { type GoalTarget, targetOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { statement } from '../../infra/db.ts'
import type { Services } from '../../infra/services.ts'
import { runTask } from '../../rollups/protocol.ts'
import type { ConversionTargets } from './conversions.ts'

const listGoalValues = statement<{ kind: string; value: string }>('list-goal-values')

/** Most values that goals may match, all of them together, and most that are looked at. */
const MOST_MATCHES = 2_000_000
const MOST_VALUES = 500_000

/**
 * What converts each of the goals, as rows to join hits with; a goal's number is its index in `goals`.
 * Operators are applied to the values that occur in the span, in a thread: one definition for all databases.
 * @throws AppError `validation_failed` when that are too many
 */
export async function findTargets(
  { reads, rollups }: Pick<Services, 'reads' | 'rollups'>,
  span: { siteNo: number; start: Date; end: Date },
  goals: readonly GoalRecord[],
): Promise<ConversionTargets> {
  const targets = goals.map(targetOf)
  const kinds = [...new Set(targets.map(({ kind }) => hitTypeOf(kind)))]
  const occurring = await listGoalValues(reads, span.siteNo, span.start, span.end, kinds, MOST_VALUES + 1)
  if (occurring.length > MOST_VALUES) throw tooMany()
  const groups = new Groups()
  for (const kind of kinds) {
    const values = occurring.filter(row => row.kind === kind).map(row => row.value)
    const ofKind = targets.flatMap((target, goal) =>
      hitTypeOf(target.kind) === kind ? [{ target, goal }] : [],
    )
    const tests = ofKind.map(({ target: { operator, value } }) =>
      value === null ? { operator: 'contains' as const, value: '' } : { operator, value },
    )
    const matches = await runTask(rollups, 'matchValues', { tests, values, most: MOST_MATCHES })
    if (!matches) throw tooMany()
    ofKind.forEach(({ target, goal }, index) => {
      for (const match of matches[index]!) groups.add(goal, target, values[match]!)
    })
  }
  return groups.targets()
}

const tooMany = () =>
  invalidField('range', 'The goals match too many different values in this range: ask for a shorter one')

/** A scroll is that of a pageview: its path is among theirs. */
const hitTypeOf = (kind: GoalTarget['kind']) => (kind === 'engagement' ? 'pageview' : kind)

/** Goals by what they have in common, so that a hit is joined with few rows. */
class Groups {
  readonly #hits = new Map<string, ConversionTargets['hits'][number]>()
  readonly #scrolls = new Map<string, ConversionTargets['scrolls'][number]>()

  add(goal: number, { kind, scrollThreshold, props }: GoalTarget, value: string): void {
    if (kind === 'engagement' && scrollThreshold !== null && scrollThreshold > 0) {
      const key = `${scrollThreshold} ${value}`
      const group = this.#scrolls.get(key)
      if (group) group.goals.push(goal)
      else this.#scrolls.set(key, { path: value, threshold: scrollThreshold, goals: [goal] })
      return
    }
    // Every pageview is scrolled to 0 %, with or without engagement.
    const type = hitTypeOf(kind)
    const wanted = Object.keys(props).length > 0 ? JSON.stringify(props) : null
    const key = `${type} ${wanted} ${value}`
    const group = this.#hits.get(key)
    if (group) group.goals.push(goal)
    else this.#hits.set(key, { kind: type, value, props: wanted, goals: [goal] })
  }

  targets(): ConversionTargets {
    return { hits: [...this.#hits.values()], scrolls: [...this.#scrolls.values()] }
  }
}
