import { z } from 'zod'
import { checkConditions } from '../conditions/conditions.ts'
import { filtersOf, storedDimensionFields } from '../conditions/filter-object.ts'

/** Filters of a share: a value, values, or values by operator for each dimension. */
export const ShareFilters = z
  .strictObject(storedDimensionFields, {
    error: 'must be an object of dimensions with the values to filter by',
  })
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
