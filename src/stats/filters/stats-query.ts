import * as z from 'zod'
import { DIMENSIONS, type Dimension } from '../../platform/dimensions/dimensions.ts'
import { checkRange, rangeFields } from '../../platform/time/range.ts'
import {
  byDimension,
  type Condition,
  checkConditions,
  conditions,
  MOST_VALUES,
} from '../conditions/conditions.ts'
import type { ResolvedFilters } from './resolved-query.ts'

/** Filters of a request; all of them must match (docs/metrics.md "Filters"). */
export interface Filters extends ResolvedFilters {
  /** Ids of goals; a session must have converted one of them. */
  goalIds: string[]
  /** Goals of segments; a session must have converted one of each list. */
  segmentGoalIds?: string[][] | undefined
}

const goalMessage = `must be the id of a goal of the site, or a list of at most ${MOST_VALUES}`
const GoalId = z.guid({ error: goalMessage })
const GoalFilter = z
  .union([GoalId, z.array(GoalId).min(1).max(MOST_VALUES)], { error: goalMessage })
  .transform(given => [given].flat())

const MOST_SEGMENTS = 10
const segmentMessage = `must be the id of a segment of the site, or a list of at most ${MOST_SEGMENTS}`
const SegmentId = z.guid({ error: segmentMessage })
const SegmentFilter = z
  .union([SegmentId, z.array(SegmentId).min(1).max(MOST_SEGMENTS)], { error: segmentMessage })
  .transform(given => [given].flat())

const dimensionFields = byDimension((name, texts) => conditions(name).meta(texts))

/** The filters alone, for endpoints without a range. A schema that uses them needs `checkFilters`, too. */
export const filterFields = {
  ...dimensionFields,
  campaign: conditions('campaign').meta({ description: 'The same as `utm_campaign`.', example: ['spring'] }),
  prop_key: conditions('prop_key').meta({
    description: 'Hits that have such a property.',
    example: ['plan'],
  }),
  prop_value: conditions('prop_value').meta({
    description: 'Value of that property; needs `prop_key`.',
    example: ['team'],
  }),
  goal: GoalFilter.optional().meta({ description: 'Sessions that converted one of these goals.' }),
  segment: SegmentFilter.optional().meta({
    description: 'Saved filters, which apply beside those of the request; several apply together.',
  }),
}

type FilterQuery = {
  [Name in keyof typeof filterFields]?: z.infer<(typeof filterFields)[Name]> | undefined
}

/** Fields of every stats endpoint: a range and filters. A schema that uses them needs `checkStats`, too. */
export const statsFields = { ...rangeFields, ...filterFields }

/** Add the parameters of one endpoint with `safeExtend`. */
export const StatsQuery = z.object(statsFields).superRefine(checkStats)
export type StatsQuery = z.infer<typeof StatsQuery>

const filterNames = [...DIMENSIONS, 'campaign', 'prop_key', 'prop_value'] as const

/**
 * Checks that the schemas cannot express; for `superRefine`. Threads check later whether an expression is valid
 * (`resolveQueries`). A parameter of the endpoint itself may replace a filter, such as `title`: it is no list of conditions.
 */
export function checkStats(
  query: Parameters<typeof checkRange>[0] & GivenFilters,
  context: z.RefinementCtx,
): void {
  checkRange(query, context)
  checkFilters(query, context)
}

type GivenFilters = { [Name in (typeof filterNames)[number]]?: unknown }

/** Like `checkStats`, for a query without a range. */
export function checkFilters(query: GivenFilters, context: z.RefinementCtx): void {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  if (query.prop_value !== undefined && query.prop_key === undefined) {
    refuse(['prop_key'], 'is required when prop_value is given')
  }
  const given = filterNames.flatMap(name => (Array.isArray(query[name]) ? (query[name] as Condition[]) : []))
  checkConditions(given, refuse)
}

/** Returns the filters of a valid query; `campaign` is another name of `utm_campaign`. */
export function filtersOf(query: FilterQuery): Filters {
  const { campaign = [], prop_key: keys = [], prop_value: values = [], goal: goalIds = [] } = query
  const on = (dimension: Dimension, conditions: Condition[]) =>
    conditions.map(condition => ({ dimension, condition }))
  return {
    dimensions: [
      ...DIMENSIONS.flatMap(dimension => on(dimension, query[dimension] ?? [])),
      ...on('utm_campaign', campaign),
    ],
    property: keys.length > 0 ? { keys, values } : undefined,
    goalIds,
  }
}
