import { z } from 'zod'
import type { Dimension } from '../../platform/dimensions/dimensions.ts'
import { DIMENSION_REGISTRY } from '../../platform/dimensions/registry.ts'
import { text } from '../../platform/schema/validation.ts'
import {
  estimateInstructions,
  refusalOfText,
  VALUE_OPERATORS,
  type ValueOperator,
} from '../../storage/patterns/value-match.ts'

/** One comparison of a value with several: one of them must match; with a negative operator, none may match. */
export interface Condition {
  /** Name of the query parameter, for error messages. */
  field: string
  operator: ValueOperator
  values: string[]
}

export interface DimensionFilter {
  dimension: Dimension
  condition: Condition
}

/** Name of the empty value. */
const NONE = '(none)'
const LONGEST_VALUE = 2_048
export const MOST_VALUES = 500

const FilterValue = text(LONGEST_VALUE)
const FilterValues = z.union([FilterValue, z.array(FilterValue).min(1).max(MOST_VALUES)])
type FilterValues = z.infer<typeof FilterValues>

const operatorFields = Object.fromEntries(
  VALUE_OPERATORS.map(operator => [
    operator,
    FilterValues.optional().meta({ description: `Values of the operator \`${operator}\`.` }),
  ]),
) as Record<ValueOperator, z.ZodOptional<typeof FilterValues>>

const operatorMessage = `must be a value, a list of values, or values by operator: ${VALUE_OPERATORS.join(', ')}; at most ${MOST_VALUES} values of at most ${LONGEST_VALUE} characters`

/** `path=/a`, `path=/a&path=/b` and `path[contains]=a`, from the query string or from a call in code. */
export const FilterInput = z.union(
  [FilterValues, z.strictObject(operatorFields, { error: operatorMessage })],
  {
    error: operatorMessage,
  },
)
export type FilterInput = z.infer<typeof FilterInput>

/** Schema of a query parameter: one condition for each operator that is given. */
export const conditions = (name: string) =>
  FilterInput.transform(input => conditionsOf(name, input)).optional()

/** Returns a field for each dimension. */
export const byDimension = <Field>(
  fieldOf: (name: string, texts: { description: string; example: string[] }) => Field,
): Record<Dimension, Field> =>
  Object.fromEntries(
    Object.entries(DIMENSION_REGISTRY).map(([name, { description, example }]) => [
      name,
      fieldOf(name, { description, example }),
    ]),
  ) as Record<Dimension, Field>

export function conditionsOf(name: string, input: FilterInput): Condition[] {
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

const MOST_LITERALS = 20
const MOST_PATTERNS = 20
/** Sum over all regular expressions of a request: their compilation must not block other requests. */
const MOST_INSTRUCTIONS = 20_000

/**
 * Checks the conditions of a request that their schema cannot express. Threads check later whether an expression is valid.
 * @param refuse receives the path of a wrong condition, and what is wrong with it
 */
export function checkConditions(given: Condition[], refuse: (path: string[], message: string) => void): void {
  const patterns: { path: string[]; operator: ValueOperator; value: string }[] = []
  for (const { field, operator, values } of given) {
    const path = field.split('.')
    if (operator === 'is' || operator === 'is_not') continue
    if (operator === 'matches_regex' || operator === 'matches_pattern') {
      patterns.push(...values.map(value => ({ path, operator, value })))
    } else if (values.length > MOST_LITERALS) {
      refuse(path, `must have at most ${MOST_LITERALS} values`)
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

export const isPattern = ({ operator }: Pick<Condition, 'operator'>): boolean =>
  operator === 'matches_pattern' || operator === 'matches_regex'

/** Returns a pattern for an error message, cut to 100 characters. */
export const shortened = (value: string): string =>
  value.length > 100 ? `${value.slice(0, 100).toWellFormed()}…` : value
