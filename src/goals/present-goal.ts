import type { Goal, GoalRecord } from './schema.ts'

/** Returns the goal in the form of the API. */
export function presentGoal(goal: GoalRecord): Goal {
  return {
    id: goal.id,
    display_name: goal.displayName,
    type: goal.type,
    match_value: goal.matchValue,
    match_operator: goal.matchOperator,
    scroll_threshold: goal.scrollThreshold,
    currency: goal.currency,
    custom_props: goal.customProps,
    created_at: goal.createdAt.toISOString(),
  }
}
