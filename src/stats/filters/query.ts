import * as z from 'zod'
import { DIMENSIONS, type Dimension } from '../../dimensions/dimensions.ts'
import { DIMENSION_REGISTRY } from '../../dimensions/registry.ts'
import {
  estimateInstructions,
  refusalOfText,
  VALUE_OPERATORS,
  type ValueOperator,
} from '../../rollups/patterns/value-match.ts'
import { text } from '../../schema/validation.ts'
import { checkRange, rangeFields } from '../../time/range.ts'
import type { Condition, ResolvedFilters } from './resolved-query.ts'

/** Filters of a request; all of them must match (docs/metrics.md "Filters"). */
export interface Filters extends ResolvedFilters {
  /** Ids of goals; a session must have converted one of them. */
  goalIds: string[]
}

/** Name of the empty value. */
const NONE = '(none)'
const LONGEST_VALUE = 2_048
const MOST_VALUES = 500

const FilterValue = text(LONGEST_VALUE)
const FilterValues = z.union([FilterValue, z.array(FilterValue).min(1).max(MOST_VALUES)])
type FilterValues = z.infer<typeof FilterValues>

const operatorFields = Object.fromEntries(
  VALUE_OPERATORS.map(operator => [operator, FilterValues.optional()]),
) as Record<ValueOperator, z.ZodOptional<typeof FilterValues>>

const operatorMessage = `must be a value, a list of values, or values by operator: ${VALUE_OPERATORS.join(', ')}; at most ${MOST_VALUES} values of at most ${LONGEST_VALUE} characters`

/** `path=/a`, `path=/a&path=/b` and `path[contains]=a`, from the query string or from a call in code. */
const FilterInput = z.union([FilterValues, z.strictObject(operatorFields, { error: operatorMessage })], {
  error: operatorMessage,
})
type FilterInput = z.infer<typeof FilterInput>

/** Schema of a query parameter: one condition for each operator that is given. */
const conditions = (name: string) => FilterInput.transform(input => conditionsOf(name, input)).optional()

const goalMessage = `must be the id of a goal of the site, or a list of at most ${MOST_VALUES}`
const GoalId = z.guid({ error: goalMessage })
const GoalFilter = z
  .union([GoalId, z.array(GoalId).min(1).max(MOST_VALUES)], { error: goalMessage })
  .transform(given => [given].flat())

const dimensionFields = Object.fromEntries(
  Object.entries(DIMENSION_REGISTRY).map(([name, { description, example }]) => [
    name,
    conditions(name).meta({ description, example }),
  ]),
) as Record<Dimension, ReturnType<typeof conditions>>

const filterFields = {
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
}

type FilterQuery = {
  [Name in keyof typeof filterFields]?: z.infer<(typeof filterFields)[Name]> | undefined
}

/** Fields of every stats endpoint: a range and filters. A schema that uses them needs `checkStats`, too. */
export const statsFields = { ...rangeFields, ...filterFields }

/** Add the parameters of one endpoint with `safeExtend`. */
export const StatsQuery = z.object(statsFields).superRefine(checkStats)
export type StatsQuery = z.infer<typeof StatsQuery>

const MOST_LITERALS = 20
const MOST_PATTERNS = 20
/** Sum over all regular expressions of a request: their compilation must not block other requests. */
const MOST_INSTRUCTIONS = 20_000

const filterNames = [...DIMENSIONS, 'campaign', 'prop_key', 'prop_value'] as const

/**
 * Checks that the schemas cannot express; for `superRefine`. Threads check later whether an expression is valid
 * (`resolveQueries`). A parameter of the endpoint itself may replace a filter, such as `title`: it is no list of conditions.
 */
export function checkStats(
  query: Parameters<typeof checkRange>[0] & { [Name in (typeof filterNames)[number]]?: unknown },
  context: z.RefinementCtx,
): void {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  checkRange(query, context)
  if (query.prop_value !== undefined && query.prop_key === undefined) {
    refuse(['prop_key'], 'is required when prop_value is given')
  }
  const patterns: { path: string[]; operator: ValueOperator; value: string }[] = []
  for (const name of filterNames) {
    const given = query[name]
    for (const { operator, values } of Array.isArray(given) ? (given as Condition[]) : []) {
      const path = [name, operator]
      if (operator === 'is' || operator === 'is_not') continue
      if (operator === 'matches_regex' || operator === 'matches_pattern') {
        patterns.push(...values.map(value => ({ path, operator, value })))
      } else if (values.length > MOST_LITERALS) {
        refuse(path, `must have at most ${MOST_LITERALS} values`)
      }
    }
  }
  const [first] = patterns
  if (patterns.length > MOST_PATTERNS) {
    refuse(first!.path, `must be at most ${MOST_PATTERNS} patterns in one request`)
    return
  }
  const size = patterns
    .filter(({ operator }) => operator === 'matches_regex')
    .reduce((sum, { value }) => sum + estimateInstructions(value), 0)
  if (patterns.length > 1 && size > MOST_INSTRUCTIONS) {
    refuse(first!.path, 'The regular expressions of the request repeat too much, all of them together')
    return
  }
  for (const { path, operator, value } of patterns) {
    const refusal = operator === 'matches_regex' ? refusalOfText(value) : undefined
    if (refusal === undefined) continue
    refuse(path, `${shortened(value)} ${refusal}`)
    return
  }
}

/** Returns a pattern for an error message, cut to 100 characters. */
export const shortened = (value: string): string =>
  value.length > 100 ? `${value.slice(0, 100).toWellFormed()}…` : value

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

function conditionsOf(name: string, input: FilterInput): Condition[] {
  const byOperator: Partial<Record<ValueOperator, FilterValues | undefined>> =
    typeof input === 'string' || Array.isArray(input) ? { is: input } : input
  return VALUE_OPERATORS.flatMap(operator => {
    const given = byOperator[operator]
    if (given === undefined) return []
    // `(none)` means the empty value for operators that compare whole values; for all others it is ordinary text.
    const isWhole = operator === 'is' || operator === 'is_not'
    const values = [given].flat().map(value => (isWhole && value === NONE ? '' : value))
    return [{ field: `${name}.${operator}`, operator, values }]
  })
}
