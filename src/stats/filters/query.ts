import * as z from 'zod'
import { text } from '../../infra/validation.ts'
import { compileMatch, VALUE_OPERATORS, type ValueOperator } from '../../rollups/value-match.ts'
import { RangeQuery } from '../range.ts'
import { DIMENSIONS, type Dimension } from './dimensions.ts'
import { MEANINGS } from './meanings.ts'

/** One comparison of a value with several: any of them, or for the negative operators none of them. */
export interface Condition {
  operator: ValueOperator
  values: string[]
}

/** What a request narrows its numbers to; everything in it must hold at once (contract §8). */
export interface Filters {
  dimensions: { dimension: Dimension; condition: Condition }[]
  /** Keys a hit's properties are looked for under, and what the value there must be. */
  property: { keys: Condition[]; values: Condition[] } | undefined
  /** Ids of goals, of which a session has converted one. */
  goalIds: string[]
}

/** What stands for the empty value. */
const NONE = '(none)'
const LONGEST_VALUE = 2_048
const MOST_VALUES = 500

const FilterValue = text(LONGEST_VALUE)
const FilterValues = z.union([FilterValue, z.array(FilterValue).min(1).max(MOST_VALUES)])
type FilterValues = z.infer<typeof FilterValues>

const operatorFields = Object.fromEntries(
  VALUE_OPERATORS.map(operator => [operator, FilterValues.optional()]),
) as Record<ValueOperator, z.ZodOptional<typeof FilterValues>>

const operatorMessage = `must be a value, a list of values, or values by operator: ${VALUE_OPERATORS.join(', ')}`

/** `path=/a`, `path=/a&path=/b` and `path[contains]=a`, as the query string gives them or as a program writes them. */
const FilterInput = z.union([FilterValues, z.strictObject(operatorFields, { error: operatorMessage })], {
  error: operatorMessage,
})
type FilterInput = z.infer<typeof FilterInput>

const GoalFilter = z.union([z.guid(), z.array(z.guid()).min(1).max(MOST_VALUES)], {
  error: 'must be the id of a goal of the site',
})

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

/** What every stats endpoint takes: a range and filters. Add an endpoint's own with `safeExtend`. */
export const StatsQuery = RangeQuery.safeExtend(filterFields).superRefine(checkFilters)
export type StatsQuery = z.infer<typeof StatsQuery>

/** What the fields must fulfil beyond their shapes. */
function checkFilters(query: FilterQuery, context: z.RefinementCtx): void {
  if (query.prop_value !== undefined && query.prop_key === undefined) {
    context.addIssue({ code: 'custom', path: ['prop_key'], message: 'is required when prop_value is given' })
  }
  for (const [name, input] of Object.entries(query)) {
    if (!(name in filterFields) || name === 'goal') continue
    for (const { operator, values } of conditionsOf(input as FilterInput)) {
      if (operator !== 'matches_regex' && operator !== 'matches_pattern') continue
      for (const value of values) {
        try {
          compileMatch(operator, value)
        } catch (error) {
          context.addIssue({ code: 'custom', path: [name, operator], message: (error as Error).message })
        }
      }
    }
  }
}

/** The filters of a valid query. */
export function filtersOf(query: FilterQuery): Filters {
  const dimensions: Filters['dimensions'] = []
  for (const dimension of DIMENSIONS) {
    for (const condition of conditionsOf(query[dimension])) dimensions.push({ dimension, condition })
  }
  for (const condition of conditionsOf(query.campaign)) {
    dimensions.push({ dimension: 'utm_campaign', condition })
  }
  const keys = conditionsOf(query.prop_key)
  return {
    dimensions,
    property: keys.length > 0 ? { keys, values: conditionsOf(query.prop_value) } : undefined,
    goalIds: listOf(query.goal ?? []),
  }
}

function conditionsOf(input: FilterInput | undefined): Condition[] {
  if (input === undefined) return []
  const byOperator: Partial<Record<ValueOperator, FilterValues | undefined>> =
    typeof input === 'string' || Array.isArray(input) ? { is: input } : input
  return VALUE_OPERATORS.flatMap(operator => {
    const given = byOperator[operator]
    return given === undefined
      ? []
      : [{ operator, values: listOf(given).map(value => meaning(operator, value)) }]
  })
}

const listOf = (given: FilterValues): string[] => (typeof given === 'string' ? [given] : given)

/** `(none)` means the empty value where whole values are compared; elsewhere it is a text like any other. */
function meaning(operator: ValueOperator, value: string): string {
  return value === NONE && (operator === 'is' || operator === 'is_not') ? '' : value
}
