import type { Dimension } from '../../platform/dimensions/dimensions.ts'
import { invalidValue } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { checkTests } from '../../storage/patterns/check-tests.ts'
import {
  byDimension,
  type Condition,
  conditionsOf,
  type DimensionFilter,
  FilterInput,
  isPattern,
  shortened,
} from './conditions.ts'

/** A value, values, or values by operator, where filters are kept. */
export const StoredFilter = FilterInput.meta({
  id: 'DimensionFilter',
  description: 'A value, several values, or values by operator.',
  example: ['DE', 'AT'],
})

/** A field for each dimension of an object of filters. */
export const storedDimensionFields = byDimension((_, { description }) =>
  StoredFilter.optional().meta({ description }),
)

/** Returns the conditions of valid filters. */
export const filtersOf = (filters: Partial<Record<Dimension, FilterInput | undefined>>): DimensionFilter[] =>
  Object.entries(filters).flatMap(([name, input]) =>
    input === undefined
      ? []
      : conditionsOf(name, input).map(condition => ({ dimension: name as Dimension, condition })),
  )

/**
 * Checks the patterns of filters that are going to be kept, which only a thread can do.
 * @throws AppError `validation_failed` for an invalid regular expression
 */
export async function checkPatterns(
  { patterns, signal }: Pick<Services, 'patterns'> & { signal?: AbortSignal | undefined },
  teamId: string,
  conditions: Condition[],
): Promise<void> {
  const tests = conditions
    .filter(isPattern)
    .flatMap(({ field, operator, values }) => values.map(value => ({ field, operator, value })))
  if (tests.length === 0) return
  const refusal = await patterns.enter(teamId, signal, () => checkTests({ patterns, signal }, tests))
  if (!refusal) return
  const { field, value } = tests[refusal.test]!
  throw invalidValue(`filters.${field}`, `${shortened(value)} ${refusal.reason}`)
}
