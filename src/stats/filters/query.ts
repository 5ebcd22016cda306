import * as z from 'zod'
import { text } from '../../infra/validation.ts'
import {
  estimateInstructions,
  refusalOfText,
  VALUE_OPERATORS,
  type ValueOperator,
} from '../../rollups/value-match.ts'
import { RangeQuery } from '../time/range.ts'
import { DIMENSIONS, type Dimension } from './dimensions.ts'
import { MEANINGS } from './meanings.ts'

/** One comparison of a value with several: one of them must match; with a negative operator, none may match. */
export interface Condition {
  /** Name of the query parameter, for error messages. */
  field: string
  operator: ValueOperator
  values: string[]
}

/** Filters of a request; all of them must match (contract §8). */
export interface Filters {
  dimensions: { dimension: Dimension; condition: Condition }[]
  /** Conditions on the keys of a hit's properties, and on the values under these keys. */
  property: { keys: Condition[]; values: Condition[] } | undefined
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

const goalMessage = `must be the id of a goal of the site, or a list of at most ${MOST_VALUES}`
const GoalId = z.guid({ error: goalMessage })
const GoalFilter = z.union([GoalId, z.array(GoalId).min(1).max(MOST_VALUES)], { error: goalMessage })

const dimensionFields = Object.fromEntries(
  [...DIMENSIONS, 'campaign' as const].map(name => [name, FilterInput.optional().meta(MEANINGS[name])]),
) as Record<Dimension | 'campaign', z.ZodOptional<typeof FilterInput>>

const filterFields = {
  ...dimensionFields,
  prop_key: FilterInput.optional().meta({
    description: 'Hits that have such a property.',
    example: ['plan'],
  }),
  prop_value: FilterInput.optional().meta({
    description: 'Value of that property; needs `prop_key`.',
    example: ['team'],
  }),
  goal: GoalFilter.optional().meta({ description: 'Sessions that converted one of these goals.' }),
}

type FilterQuery = {
  [Name in keyof typeof filterFields]?: z.infer<(typeof filterFields)[Name]> | undefined
}

/** Parameters of every stats endpoint: a range and filters. Add the parameters of one endpoint with `safeExtend`. */
export const StatsQuery = RangeQuery.safeExtend(filterFields).superRefine(checkFilters)
export type StatsQuery = z.infer<typeof StatsQuery>

const MOST_LITERALS = 20
const MOST_PATTERNS = 20
/** Sum over all regular expressions of a request: their compilation must not block other requests. */
const MOST_INSTRUCTIONS = 20_000

/** Checks that the schemas cannot express. Threads check later whether an expression is valid (`resolveScopes`). */
function checkFilters(query: FilterQuery, context: z.RefinementCtx): void {
  if (query.prop_value !== undefined && query.prop_key === undefined) {
    context.addIssue({ code: 'custom', path: ['prop_key'], message: 'is required when prop_value is given' })
  }
  const patterns: { path: string[]; operator: ValueOperator; value: string }[] = []
  for (const [name, input] of Object.entries(query)) {
    if (!(name in filterFields) || name === 'goal') continue
    for (const { operator, values } of conditionsOf(name, input as FilterInput)) {
      const path = [name, operator]
      if (operator === 'is' || operator === 'is_not') continue
      if (operator === 'matches_regex' || operator === 'matches_pattern') {
        patterns.push(...values.map(value => ({ path, operator, value })))
      } else if (values.length > MOST_LITERALS) {
        context.addIssue({ code: 'custom', path, message: `must have at most ${MOST_LITERALS} values` })
      }
    }
  }
  checkPatterns(patterns, context)
}

function checkPatterns(
  patterns: { path: string[]; operator: ValueOperator; value: string }[],
  context: z.RefinementCtx,
): void {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
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

/** Returns the filters of a valid query. */
export function filtersOf(query: FilterQuery): Filters {
  const dimensions: Filters['dimensions'] = []
  for (const dimension of DIMENSIONS) {
    for (const condition of conditionsOf(dimension, query[dimension]))
      dimensions.push({ dimension, condition })
  }
  for (const condition of conditionsOf('campaign', query.campaign)) {
    dimensions.push({ dimension: 'utm_campaign', condition })
  }
  const keys = conditionsOf('prop_key', query.prop_key)
  return {
    dimensions,
    property: keys.length > 0 ? { keys, values: conditionsOf('prop_value', query.prop_value) } : undefined,
    goalIds: listOf(query.goal ?? []),
  }
}

function conditionsOf(name: string, input: FilterInput | undefined): Condition[] {
  if (input === undefined) return []
  const byOperator: Partial<Record<ValueOperator, FilterValues | undefined>> =
    typeof input === 'string' || Array.isArray(input) ? { is: input } : input
  return VALUE_OPERATORS.flatMap(operator => {
    const given = byOperator[operator]
    return given === undefined
      ? []
      : [
          {
            field: `${name}.${operator}`,
            operator,
            values: listOf(given).map(value => meaning(operator, value)),
          },
        ]
  })
}

const listOf = (given: FilterValues): string[] => (typeof given === 'string' ? [given] : given)

/** `(none)` means the empty value for operators that compare whole values; for all others it is ordinary text. */
function meaning(operator: ValueOperator, value: string): string {
  return value === NONE && (operator === 'is' || operator === 'is_not') ? '' : value
}
