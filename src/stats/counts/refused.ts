import { invalidField, invalidValue } from '../../errors.ts'
import { shortened } from '../../filters/conditions.ts'
import { TooCostly } from './match-texts.ts'

/** Runs a count, and says which comparison took too long. */
export async function unlessTooCostly<Result>(count: () => Promise<Result>): Promise<Result> {
  try {
    return await count()
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error
    const { field, value } = error
    if (field === 'goal') {
      throw invalidField(
        'goal',
        'A goal takes too long to look for among the values of this range: ask for a shorter range, or give it a simpler match_value',
      )
    }
    throw invalidValue(
      field,
      `${shortened(value)} takes too long on the values of this range: ask for a shorter range, or use a simpler pattern`,
    )
  }
}
