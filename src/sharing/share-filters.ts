import { z } from 'zod'
import type { Dimension } from '../dimensions/dimensions.ts'
import { invalidField } from '../errors.ts'
import {
  byDimension,
  checkConditions,
  conditionsOf,
  type DimensionFilter,
  FilterInput,
  isPattern,
  shortened,
} from '../filters/conditions.ts'
import { PatternWork } from '../rollups/patterns/match.ts'
import type { Services } from '../services.ts'

const Input = FilterInput.meta({
  id: 'DimensionFilter',
  description: 'A value, several values, or values by operator.',
  example: ['DE', 'AT'],
})
const fields = byDimension((_, { description }) => Input.optional().meta({ description }))

/** Filters of a share: a value, values, or values by operator for each dimension. */
export const ShareFilters = z
  .strictObject(fields, { error: 'must be an object of dimensions with the values to filter by' })
  .superRefine((filters, context) =>
    checkConditions(
      filtersOf(filters).map(({ condition }) => condition),
      (path, message) => context.addIssue({ code: 'custom', path, message }),
    ),
  )
  .meta({
    id: 'ShareFilters',
    description: 'Filters that apply to every read, by dimension, with the operators of query filters.',
    example: { country: ['DE', 'AT'], path: { starts_with: '/blog' } },
  })
export type ShareFilters = z.infer<typeof ShareFilters>

/** Returns the conditions of valid filters. */
export const filtersOf = (filters: Partial<Record<Dimension, FilterInput | undefined>>): DimensionFilter[] =>
  Object.entries(filters).flatMap(([name, input]) =>
    input === undefined
      ? []
      : conditionsOf(name, input).map(condition => ({ dimension: name as Dimension, condition })),
  )

/**
 * Checks the patterns of filters, which only a thread can do.
 * @throws AppError `validation_failed` for an invalid regular expression
 */
export async function checkPatterns(
  { patterns, signal }: Pick<Services, 'patterns'> & { signal?: AbortSignal | undefined },
  teamId: string,
  filters: ShareFilters,
): Promise<void> {
  const tests = filtersOf(filters)
    .filter(({ condition }) => isPattern(condition))
    .flatMap(({ condition: { field, operator, values } }) =>
      values.map(value => ({ field, operator, value })),
    )
  if (tests.length === 0) return
  const refusal = await patterns.enter(teamId, signal, () => new PatternWork(patterns, signal).check(tests))
  if (refusal?.why !== 'invalid') return
  const { field, value } = tests[refusal.test]!
  throw invalidField(`filters.${field}`, `${shortened(value)} ${refusal.reason}`)
}
