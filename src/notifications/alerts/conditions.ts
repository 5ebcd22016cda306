import { z } from 'zod'
import { uuid } from '../../schema/fields.ts'
import { integer } from '../../schema/validation.ts'

const most = 1_000_000_000
const metric = z.enum(['visitors', 'pageviews']).meta({ description: 'What is counted.' })
const minimum = integer(1, most)
  .default(50)
  .meta({ description: 'Below this number nothing is reported, so that small sites are quiet.' })

const kind = <Name extends string>(name: Name) => z.literal(name).meta({ description: 'What is watched.' })

/** Conditions of alerts, by kind. */
export const Condition = z
  .discriminatedUnion('kind', [
    z.object({
      kind: kind('traffic_spike'),
      metric,
      percent: integer(10, 100_000).meta({ description: 'More than usual.', example: 200 }),
      minimum,
    }),
    z.object({
      kind: kind('traffic_drop'),
      metric,
      percent: integer(10, 100).meta({ description: 'Less than usual.', example: 60 }),
      minimum,
    }),
    z.object({
      kind: kind('error_rate'),
      percent: integer(1, 100_000).meta({ description: 'Errors per 100 pageviews of an hour.', example: 5 }),
      minimum,
    }),
    z.object({
      kind: kind('error_count'),
      count: integer(1, most).meta({ description: 'Errors of an hour.', example: 100 }),
    }),
    z.object({
      kind: kind('goal'),
      goal: uuid('Goal id.'),
      operator: z.enum(['above', 'below']).meta({ description: 'Above 0 means that it happened.' }),
      count: integer(0, most).meta({ description: 'Conversions in the window.', example: 0 }),
      hours: integer(1, 168).meta({ description: 'Length of the window.', example: 24 }),
    }),
    z.object({
      kind: kind('mrr_churn'),
      unit: z.enum(['amount', 'percent']).meta({ description: 'Minor units, or percent of the MRR before.' }),
      value: integer(1, Number.MAX_SAFE_INTEGER).meta({ description: 'Lost MRR.', example: 10_000 }),
      days: z.union([z.literal(1), z.literal(7)]).meta({ description: 'Length of the window.' }),
    }),
    z.object({
      kind: kind('no_hits'),
      hours: integer(1, 168).meta({ description: 'How long there was none.', example: 3 }),
    }),
  ])
  .meta({ description: 'When an incident opens.' })
export type Condition = z.infer<typeof Condition>
export type AlertKind = Condition['kind']
