import { z } from 'zod'
import { BREAKDOWN_DIMENSIONS } from '../../platform/dimensions/dimensions.ts'
import { pageFields } from '../../platform/schema/pagination.ts'
import { requiredText } from '../../platform/schema/validation.ts'
import { checkComparison, previousFields } from '../../platform/time/comparison.ts'
import { SORTS, type Sort } from '../../storage/rollups/value-order.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { importedField } from '../imported/imported-answer.ts'
import { PAGES } from './page-dimensions.ts'

/** Sorts that need `conversion_goal`. */
export const OF_CONVERSIONS: ReadonlySet<Sort> = new Set(['converting_visitors', 'conversion_rate'])

const fields = {
  dimension: z.enum(BREAKDOWN_DIMENSIONS).meta({ description: 'What to break down by.' }),
  search: requiredText(255).optional().meta({
    description: 'Only values that contain it, in any case, as they are shown: `(none)` for the empty one.',
    example: 'blog',
  }),
  sort: z
    .enum(SORTS)
    .default('visitors')
    .meta({
      description:
        'What to sort by; ties by visitors, most first, then by value. `time_on_page_seconds` and `scroll_depth` need the dimension ' +
        '`path` or `title`, `converting_visitors` and `conversion_rate` need `conversion_goal`, and money needs the section `revenue`.',
    }),
  order: z.enum(['asc', 'desc']).optional().meta({
    description:
      'Direction of the sort; `asc` by default for `value`, else `desc`. Rows without the number are last in both.',
  }),
  conversion_goal: z
    .guid({ error: 'must be the id of a goal of the site' })
    .optional()
    .meta({ description: 'Goal of `converting_visitors` and `conversion_rate`.' }),
  ...previousFields,
  ...importedField,
  ...pageFields(25),
}

export const BreakdownQuery = StatsQuery.safeExtend(fields)
  .superRefine(checkComparison)
  .superRefine(({ dimension, sort, conversion_goal: goal }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['sort'], message })
    if (OF_CONVERSIONS.has(sort) && goal === undefined) {
      refuse(`${sort} needs conversion_goal`)
    }
    if ((sort === 'time_on_page_seconds' || sort === 'scroll_depth') && !PAGES.has(dimension)) {
      refuse(`${sort} needs the dimension path or title`)
    }
  })
export type BreakdownQuery = z.infer<typeof BreakdownQuery>
