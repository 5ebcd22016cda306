import type { Queryable } from '../../platform/db/connect.ts'
import { invalidField } from '../../platform/errors.ts'
import { definitionOf, forSite } from '../goals/definition.ts'
import { findGoals } from '../goals/find-goal.ts'
import { type GoalRecord, isBlank } from '../goals/goal-schema.ts'
import { type FunnelStep, goalBodyOf } from './funnel-schema.ts'

/** A step as a goal that it is met by; its display name is the name of the step. */
export type StepGoal = GoalRecord

const goalIdsOf = (steps: readonly FunnelStep[]): string[] => [
  ...new Set(steps.flatMap(({ goal }) => (goal ? [goal.toLowerCase()] : []))),
]

/**
 * Returns the steps as goals.
 * @throws AppError `validation_failed` for a goal that the site does not have
 */
export async function goalsOfSteps(
  db: Queryable,
  siteNo: number,
  steps: readonly FunnelStep[],
): Promise<StepGoal[]> {
  const ids = goalIdsOf(steps)
  const goals = ids.length > 0 ? await findGoals(db, siteNo, ids) : []
  return stepGoals(steps, new Map(goals.map(goal => [goal.id, goal])))
}

/** Begins the id of a step that has a definition of its own. */
const OWN = 'step '

/** Returns whether a step is no goal of the site. */
export const isOwnDefinition = ({ id }: StepGoal): boolean => id.startsWith(OWN)

/** The same with the goals that are known, by id. */
export function stepGoals(steps: readonly FunnelStep[], goals: ReadonlyMap<string, GoalRecord>): StepGoal[] {
  return steps.map((step, index) => {
    if (!step.goal) {
      const definition = definitionOf(goalBodyOf(step))
      return { ...definition, id: `${OWN}${index + 1}`, createdAt: new Date(0) }
    }
    const goal = goals.get(step.goal.toLowerCase())
    if (!goal) throw noSuchStepGoal(index)
    return { ...goal, displayName: isBlank(step.name) ? goal.displayName : step.name! }
  })
}

/**
 * Takes the site's own address off the paths of steps.
 * @throws AppError `validation_failed` as in `forSite`
 */
export const stepsForSite = (steps: readonly FunnelStep[], site: { domain: string }): FunnelStep[] =>
  steps.map((step, index) =>
    step.goal
      ? step
      : { ...step, value: forSite(goalBodyOf(step), site, `steps.${index}.value`).match_value },
  )

export const noSuchStepGoal = (index: number) =>
  invalidField(`steps.${index}.goal`, 'must be the id of a goal of the site')
