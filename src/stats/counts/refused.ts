import { invalidValue } from '../../errors.ts'
import { shortened } from '../../filters/conditions.ts'
import { TooCostly } from './shared/match-texts.ts'

/**
 * Runs a count.
 * @returns undefined when a goal takes too long or is invalid: the search in rows then names the goal
 * @throws AppError `validation_failed` that says which filter takes too long
 */
export async function unlessTooCostly<Result>(count: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await count()
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error
    const { field, value } = error
    if (field === 'goal') return undefined
    throw invalidValue(
      field,
      `${shortened(value)} takes too long on the values of this range: ask for a shorter range, or use a simpler pattern`,
    )
  }
}
