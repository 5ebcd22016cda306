import { z } from 'zod'
import { count, decimal, flag, label } from '../../platform/schema/fields.ts'
import { rangedParameter } from '../../platform/schema/pagination.ts'
import { StatsQuery } from '../filters/stats-query.ts'

const COHORTS = ['first_visit', 'goal', 'payment'] as const
const PERIODS = ['day', 'week', 'month'] as const
const MEASURES = ['visitors', 'payers', 'mrr'] as const
const MOST_PERIODS = 52

export const RetentionQuery = StatsQuery.safeExtend({
  cohort: z
    .enum(COHORTS)
    .prefault('first_visit')
    .meta({ description: 'What people begin with: their first visit, a goal, or their first payment.' }),
  cohort_goal: z
    .guid({ error: 'must be the id of a goal of the site' })
    .optional()
    .meta({ description: 'The goal of `cohort=goal`.' }),
  period: z.enum(PERIODS).prefault('week').meta({ description: 'Length of the periods.' }),
  periods: rangedParameter(1, MOST_PERIODS)
    .prefault(12)
    .meta({ description: 'Most later periods of a cohort.' }),
  measure: z.enum(MEASURES).optional().meta({
    description:
      'What is counted later: `visitors` with a first visit or a goal, `payers` (default) or `mrr` with a payment.',
  }),
}).superRefine(({ cohort, cohort_goal: goal, measure }, context) => {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (cohort === 'goal' && goal === undefined) refuse('cohort_goal', 'is required when cohort is goal')
  if (cohort !== 'goal' && goal !== undefined) refuse('cohort_goal', 'needs cohort=goal')
  if (measure === undefined || (measure === 'visitors') !== (cohort === 'payment')) return
  refuse(
    'measure',
    cohort === 'payment' ? 'must be payers or mrr with cohort=payment' : 'needs cohort=payment',
  )
})
export type RetentionQuery = z.infer<typeof RetentionQuery>

/** @see docs/metrics.md "Cohorts" */
export const Retention = z
  .object({
    available: flag('Whether people are recognized when they come back.', true),
    why_not: label('Why not; null when they are.', 'Nobody is recognized on another day').nullable(),
    cohort: z.enum(COHORTS).meta({ description: 'What people begin with.' }),
    measure: z.enum(MEASURES).meta({ description: 'What is counted in later periods.' }),
    period: z.enum(PERIODS).meta({ description: 'Length of the periods.' }),
    left_out: count('Visitors who began in the range, and whom nothing recognizes later.', 12),
    cohorts: z
      .array(
        z
          .object({
            label: label('Where the period begins, or the range.', '2026-03-02T00:00:00+01:00'),
            size: count('Members.', 240),
            base: z
              .int()
              .meta({ description: 'What 100 percent is: the members, or their MRR.', example: 240 }),
            periods: z
              .array(
                z
                  .object({
                    period: count('From 1: how many periods later.', 1),
                    value: z.int().meta({
                      description: 'Members who came back or paid, or the MRR that is kept.',
                      example: 60,
                    }),
                    rate: decimal('Of `base`, percent, one decimal.', 25),
                    is_complete: flag('Whether the period has ended.', true),
                  })
                  .meta({ id: 'RetentionPeriod' }),
              )
              .meta({ description: 'Later periods that have begun, in their order.' }),
          })
          .meta({ id: 'RetentionCohort' }),
      )
      .meta({ description: 'One for each period of the range, the oldest first.' }),
  })
  .meta({ id: 'Retention' })
export type Retention = z.infer<typeof Retention>
