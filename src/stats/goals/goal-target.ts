import type { ValueTest } from '../../storage/patterns/pattern-protocol.ts'
import type { ValueOperator } from '../../storage/patterns/value-match.ts'
import type { GoalDefinition, GoalRecord, GoalType } from './goal-schema.ts'

/** Condition that a hit must meet to convert a goal. */
export interface GoalTarget {
  /** `engagement`: the engagement of a pageview whose deepest scroll reaches the threshold. */
  kind: 'pageview' | 'engagement' | Exclude<GoalType, 'page' | 'scroll'>
  /** Field of the hit to compare: `selector` is the property of that name. */
  on: 'path' | 'name' | 'selector'
  operator: ValueOperator
  /** Null: every hit of the kind. */
  value: string | null
  /** Percent, only for `engagement`. */
  scrollThreshold: number | null
  /** Properties that the hit must have, with exactly these values. */
  props: Record<string, string>
  /** What an error says of it when its value cannot be looked for: the goal, by display name and id. */
  name?: string
  /** Field that this error is about; without it, `goal`. */
  field?: string
}

type Definition = Omit<GoalDefinition, 'displayName' | 'currency'> &
  Partial<Pick<GoalRecord, 'id' | 'displayName'>>

/** Returns what converts a goal. One with an id has a name in errors. */
export function targetOf(goal: Definition): GoalTarget {
  return {
    ...aimOf(goal.type),
    operator: goal.matchOperator,
    value: goal.matchValue,
    scrollThreshold: goal.type === 'scroll' ? goal.scrollThreshold : null,
    props: goal.customProps,
    ...(goal.id !== undefined && { name: `${goal.displayName} (${goal.id})` }),
  }
}

function aimOf(type: GoalType): Pick<GoalTarget, 'kind' | 'on'> {
  switch (type) {
    case 'page':
      return { kind: 'pageview', on: 'path' }
    case 'scroll':
      return { kind: 'engagement', on: 'path' }
    case 'event':
      return { kind: 'event', on: 'name' }
    default:
      return { kind: type, on: 'selector' }
  }
}

/** Returns the test for the path, name or selector of a hit. `contains` with an empty value matches every text. */
export function testOf({ operator, value }: GoalTarget): ValueTest {
  return value === null ? { operator: 'contains', value: '' } : { operator, value }
}
