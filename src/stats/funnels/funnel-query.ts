import { z } from 'zod'
import { DIMENSIONS } from '../../platform/dimensions/dimensions.ts'
import { count, decimal, label } from '../../platform/schema/fields.ts'
import { jsonParameter } from '../../platform/schema/json-parameter.ts'
import { Comparison, checkComparison, previousFields } from '../../platform/time/comparison.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import {
  FunnelKey,
  FunnelSteps,
  FunnelWindow,
  MAX_STEPS,
  MIN_STEPS,
  ruleFields,
} from '../saved-funnels/funnel-schema.ts'

const readFields = {
  dimension: z
    .enum(DIMENSIONS)
    .optional()
    .meta({ description: 'Adds a row for each value of the first step.' }),
  ...previousFields,
}

/** Longest text of `steps`: eight steps with the longest values, written with escapes. */
const LONGEST_STEPS = 200_000

const StepsParameter = jsonParameter(FunnelSteps, {
  whole: 'with all steps in one list',
  what: `a list of ${MIN_STEPS} to ${MAX_STEPS} steps`,
  longest: LONGEST_STEPS,
})

const WindowParameter = z.preprocess(
  (given: unknown) => (typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given),
  FunnelWindow,
)

const EXAMPLE = JSON.stringify([
  { type: 'pageview', value: '/pricing' },
  { type: 'event', value: 'signup' },
])

/** A read of a funnel that the request defines. */
export const FunnelQuery = StatsQuery.safeExtend({
  steps: StepsParameter.meta({
    description: `${MIN_STEPS} to ${MAX_STEPS} steps in their order, as JSON.`,
    openapi: {
      schema: { type: 'string', contentMediaType: 'application/json' },
      example: EXAMPLE,
    },
  }),
  order: ruleFields.order,
  window: WindowParameter.prefault('session').meta({
    ...ruleFields.window.meta(),
    openapi: { schema: { type: 'string', default: 'session' }, example: '86400' },
  }),
  by: ruleFields.by,
  ...readFields,
}).superRefine(checkComparison)
export type FunnelQuery = z.infer<typeof FunnelQuery>

/** A read of a saved funnel. */
export const SavedFunnelQuery = StatsQuery.safeExtend({ ...FunnelKey.shape, ...readFields }).superRefine(
  checkComparison,
)
export type SavedFunnelQuery = z.infer<typeof SavedFunnelQuery>

const StepReport = z
  .object({
    name: label('Name of the step.', 'Visit /pricing'),
    count: count('Visitors, or sessions, that reach the step.', 120),
    conversion_rate: decimal('Those among all that reach the first step, percent, one decimal.', 40),
    step_rate: decimal('Those among all that reach the step before, percent, one decimal.', 60),
    drop_off: count('Those that reach the step before, and not this one.', 80),
    median_seconds: decimal('Median time from the step before, seconds, two decimals.', 95.5).nullable(),
  })
  .meta({ id: 'FunnelStepReport' })
export type StepReport = z.infer<typeof StepReport>

const steps = z.array(StepReport).meta({ description: 'The steps, in their order.' })
const previous = z.object({ steps }).meta({ description: 'The same of the compared period.' })

/** @see docs/metrics.md "Numbers of a funnel" */
export const FunnelReport = z
  .object({
    by: z.enum(['visitor', 'session']).meta({ description: 'What is counted.' }),
    order: z.enum(['loose', 'strict']).meta({ description: 'How the steps follow each other.' }),
    window: FunnelWindow.meta({ description: 'Seconds, or `session`.' }),
    steps,
    previous: previous.optional(),
    comparison: Comparison.optional(),
    values: count('Number of values of the dimension; only with `dimension`.', 12).optional(),
    rows: z
      .array(
        z
          .object({
            value: label('Value of the dimension; `(none)` for the empty one.', 'Google'),
            steps,
            previous: previous.optional(),
          })
          .meta({ id: 'FunnelRow' }),
      )
      .optional()
      .meta({ description: 'The 20 values with the most at the first step; only with `dimension`.' }),
  })
  .meta({ id: 'FunnelReport' })
export type FunnelReport = z.infer<typeof FunnelReport>
