import { z } from 'zod'
import { BREAKDOWN_DIMENSIONS } from '../../platform/dimensions/dimensions.ts'
import { rangedParameter } from '../../platform/schema/pagination.ts'
import { dateTime, text } from '../../platform/schema/validation.ts'
import { checkComparison, compareFields } from '../../platform/time/comparison.ts'
import { groupField } from '../../platform/time/range.ts'
import { PAGES } from '../breakdown/page-dimensions.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import type { Explanation } from './explanation.ts'
import { BREAKDOWN } from './of-breakdown.ts'
import { MONEY, MOVEMENTS } from './of-money.ts'
import { OVERVIEW } from './of-overview.ts'

/** The reads whose numbers are explained, and all metrics of each. */
export const READS = {
  overview: OVERVIEW,
  breakdown: BREAKDOWN,
  money: MONEY,
  movements: MOVEMENTS,
} satisfies Record<string, Record<string, Explanation>>
export type Read = keyof typeof READS

export const metricsOf = (read: Read): string[] => Object.keys(READS[read])

const METRICS = [...new Set((Object.keys(READS) as Read[]).flatMap(metricsOf))] as [string, ...string[]]
/** Metrics of the money report that are known of everything that is recorded. */
const METRICS_NOW: readonly string[] = ['mrr', 'arr', 'active_subscriptions', 'active_customers']

export const ExplainQuery = StatsQuery.safeExtend({
  metric: z.enum(METRICS).meta({ description: 'Which number of the read.' }),
  read: z
    .enum(Object.keys(READS) as [Read, ...Read[]])
    .optional()
    .meta({
      description:
        'Which read the number is of: the overview, a row of a breakdown, the money report, or the series of MRR movements. Without it ' +
        '`breakdown` if there is a `dimension`, else `overview`.',
    }),
  period: z.enum(['current', 'previous', 'now']).default('current').meta({
    description:
      'The range; the period before, or the compared one; or all that is recorded, as `now` of the money report.',
  }),
  dimension: z.enum(BREAKDOWN_DIMENSIONS).optional().meta({ description: 'Of a breakdown: what it is by.' }),
  value: text(10_000).optional().meta({
    description: 'Of a breakdown: the value of the row, `(none)` for the empty one.',
    example: 'Google',
  }),
  conversion_goal: z
    .guid({ error: 'must be the id of a goal of the site' })
    .optional()
    .meta({ description: 'Of a breakdown: the goal of `converting_visitors` and `conversion_rate`.' }),
  bucket: dateTime.optional().meta({
    description: 'Of MRR movements: only this bucket, by its label. Without it the whole range.',
    example: '2026-03-29T00:00:00+01:00',
  }),
  ...groupField,
  ...compareFields,
  cursor: text(1_000)
    .optional()
    .meta({ description: '`next_cursor` of the answer before.', example: 'WzE3NzQ3' }),
  limit: rangedParameter(1, 100).default(25).meta({ description: 'Rows behind the number on a page.' }),
})
  .superRefine(checkComparison)
  .superRefine(checkSubject)
export type ExplainQuery = z.infer<typeof ExplainQuery>

export const readOf = ({ read, dimension }: Pick<ExplainQuery, 'read' | 'dimension'>): Read =>
  read ?? (dimension === undefined ? 'overview' : 'breakdown')

type Given = Pick<
  ExplainQuery,
  'metric' | 'read' | 'period' | 'dimension' | 'value' | 'conversion_goal' | 'bucket'
>

function checkSubject(query: Given, context: z.RefinementCtx): void {
  const refuse = (path: keyof Given, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  const read = readOf(query)
  const { metric, period, dimension, value, conversion_goal: goal, bucket } = query
  const known = metricsOf(read)
  if (!known.includes(metric)) refuse('metric', `must be one of ${known.join(', ')} with read=${read}`)
  if (read === 'breakdown') {
    if (dimension === undefined) refuse('dimension', 'is required with read=breakdown')
    if (value === undefined) refuse('value', 'is required with read=breakdown')
    const ofGoal = metric === 'converting_visitors' || metric === 'conversion_rate'
    if (ofGoal && goal === undefined) refuse('conversion_goal', `is required with metric=${metric}`)
    const ofPages = metric === 'time_on_page_seconds' || metric === 'scroll_depth'
    if (ofPages && dimension && !PAGES.has(dimension))
      refuse('metric', `${metric} needs the dimension path or title`)
  } else {
    for (const field of ['dimension', 'value', 'conversion_goal'] as const) {
      if (query[field] !== undefined) refuse(field, 'needs read=breakdown')
    }
  }
  if (bucket !== undefined && read !== 'movements') refuse('bucket', 'needs read=movements')
  if (period === 'now' && (read !== 'money' || !METRICS_NOW.includes(metric))) {
    refuse('period', `must not be now, but with read=money and one of ${METRICS_NOW.join(', ')}`)
  }
}
