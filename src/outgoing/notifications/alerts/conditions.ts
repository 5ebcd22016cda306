import { z } from 'zod'
import { uuid } from '../../../platform/schema/fields.ts'
import { integer } from '../../../platform/schema/validation.ts'

const most = 1_000_000_000
const metric = z.enum(['visitors', 'pageviews']).meta({ description: 'What is counted.' })
const minimum = integer(1, most)
  .default(50)
  .meta({ description: 'With less traffic than this no incident opens.' })

const kind = <Name extends string>(name: Name) => z.literal(name).meta({ description: 'What is watched.' })

/** Conditions of alerts, by kind. */
export const Condition = z
  .discriminatedUnion('kind', [
    z.object({
      kind: kind('traffic_spike'),
      metric,
      percent: integer(10, 100_000).meta({ description: 'By how much more than usual.', example: 200 }),
      minimum,
    }),
    z.object({
      kind: kind('traffic_drop'),
      metric,
      percent: integer(10, 100).meta({ description: 'By how much less than usual.', example: 60 }),
      minimum,
    }),
    z.object({
      kind: kind('error_rate'),
      percent: integer(1, 100_000).meta({ description: 'Errors per 100 pageviews in an hour.', example: 5 }),
      minimum,
    }),
    z.object({
      kind: kind('error_count'),
      count: integer(1, most).meta({ description: 'Errors in an hour.', example: 100 }),
    }),
    z.object({
      kind: kind('goal'),
      goal: uuid('Goal id.'),
      operator: z
        .enum(['above', 'below'])
        .meta({ description: 'More, or fewer, than `count`. Above 0: at least one.' }),
      count: integer(0, most).meta({
        description: 'Conversions in the window; at least 1 with `below`.',
        example: 0,
      }),
      hours: integer(1, 168).meta({ description: 'Length of the window.', example: 24 }),
    }),
    z.object({
      kind: kind('mrr_churn'),
      unit: z.enum(['amount', 'percent']).meta({
        description:
          'Whether `value` is an amount in minor units or a percentage of the MRR at the start of the window.',
      }),
      value: integer(1, Number.MAX_SAFE_INTEGER).meta({ description: 'Lost MRR.', example: 10_000 }),
      days: z.union([z.literal(1), z.literal(7)]).meta({ description: 'Length of the window.' }),
    }),
    z.object({
      kind: kind('no_hits'),
      hours: integer(1, 168).meta({ description: 'How long no hit came in.', example: 3 }),
    }),
  ])
  .meta({ description: 'When an incident opens.' })

/** As a caller may give it. */
export const GivenCondition = Condition.refine(
  given => given.kind !== 'goal' || given.operator === 'above' || given.count > 0,
  { path: ['count'], message: 'must be at least 1: there are never fewer than 0 conversions' },
)
export type Condition = z.infer<typeof Condition>
export type AlertKind = Condition['kind']
