import { AppError } from '../../platform/errors.ts'
import { filterFields } from '../../stats/filters/stats-query.ts'
import { VALUE_OPERATORS } from '../../storage/patterns/value-match.ts'
import type { Route } from '../api/routes.ts'
import { createSchemas, type Json, lookUp } from '../openapi/schemas.ts'

const isFilter = (name: string): boolean => Object.hasOwn(filterFields, name)

/** Arguments that most tools have: the instructions say once what they mean, because an assistant reads all tools before each question. */
const EXPLAINED_ONCE = new Set([
  ...['siteKey', 'range', 'from', 'to', 'group', 'compare', 'compare_from', 'compare_to', 'match_weekday'],
  ...['imported', 'page', 'per_page', 'order', 'cursor', 'filters', 'whole'],
])

/** Most rows that a tool answers unless more is asked for, by the argument that asks for them. */
const fewer = (fields: Record<string, unknown>): Record<string, number> => ({
  ...(fields.per_page !== undefined && { per_page: 5 }),
  // Values are short; rows of a log are not.
  ...(fields.limit !== undefined && { limit: fields.cursor === undefined ? 50 : 10 }),
})

export interface Arguments {
  /** JSON Schema; filters are one field. */
  schema: Json
  /** Names of the filters that `filters` may have. */
  filters: string[]
}

/** Returns the arguments of a tool: the fields of the procedure's inputs, filters by themselves, and `whole`. */
export function argumentsOf({ inputs }: Pick<Route, 'inputs'>): Arguments {
  const schemas = createSchemas()
  const fields: Record<string, Json> = {}
  const required: string[] = []
  const filters: string[] = []
  for (const input of inputs) {
    const schema = lookUp(schemas.convert(input, 'input'), schemas.components)
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      // A parameter of the procedure itself may have the name of a filter: it takes one text.
      if (isFilter(name) && Array.isArray(field.anyOf)) filters.push(name)
      else fields[name] = shortField(name, resolved(field, schemas.components))
    }
    required.push(...((schema.required ?? []) as string[]))
  }
  if (filters.length > 0) fields.filters = { type: 'object' }
  for (const [name, usual] of Object.entries(fewer(fields)))
    fields[name] = { ...fields[name], default: usual }
  fields.whole = { type: 'boolean' }
  return { schema: { type: 'object', properties: fields, required, additionalProperties: false }, filters }
}

/**
 * Returns the input of the procedure, and whether the answer may be long.
 * @param given arguments of a call, of any shape
 * @throws AppError `validation_failed` for an argument or a filter that the tool does not have: to leave it out would answer
 * another question
 */
export function inputOf(
  { schema, filters: allowed }: Arguments,
  { filters, whole, ...given }: Record<string, unknown>,
): { input: Record<string, unknown>; mayBeLong: boolean } {
  const properties = schema.properties as Record<string, Json>
  refuseUnknown('argument', Object.keys(given), Object.keys(properties))
  if (whole !== undefined && typeof whole !== 'boolean') {
    throw new AppError('validation_failed', 'whole must be true or false')
  }
  const input = { ...readFilters(filters, allowed), ...given }
  const usual = fewer(properties)
  const asksForMore = Object.entries(usual).some(([name, rows]) => Number(given[name]) > rows)
  return { input: { ...usual, ...input }, mayBeLong: whole === true || asksForMore }
}

function readFilters(filters: unknown, allowed: string[]): Record<string, unknown> {
  if (filters === undefined || filters === null) return {}
  if (typeof filters !== 'object' || Array.isArray(filters)) {
    throw new AppError('validation_failed', 'filters must be an object, by dimension')
  }
  refuseUnknown('filter', Object.keys(filters), allowed)
  return { ...filters }
}

function refuseUnknown(what: string, given: string[], allowed: string[]): void {
  const unknown = given.find(name => !allowed.includes(name))
  if (unknown === undefined) return
  const may = allowed.length > 0 ? `it has ${allowed.join(', ')}` : 'it has none'
  throw new AppError('validation_failed', `The tool has no ${what} ${unknown.slice(0, 64)}: ${may}`)
}

/** Says in the instructions what filters are. */
export const FILTERS =
  `filters is an object by dimension (${Object.keys(filterFields).join(', ')}), all must match: a value, a list with one that must match, or ` +
  `operators (${VALUE_OPERATORS.join(', ')}) with such lists. {"country": "DE", "path": {"starts_with": ["/blog"]}, "channel": {"is_not": ["Direct"]}}. ` +
  'The empty value is (none); goal and segment take ids. dimension is one of these names; traffic and Web Vitals can be broken down by hour_of_week, too.'

/** A field with what an assistant needs: limits are said by the error of a call. */
function shortField(
  name: string,
  { type, enum: values, items, anyOf, description, default: usual }: Json,
): Json {
  return {
    // The names of ranges and dimensions are in the instructions, and in the error of any other.
    ...(values !== undefined && name !== 'range' && name !== 'dimension'
      ? { enum: values }
      : type !== undefined && { type }),
    ...(items !== undefined && { items: shortItems(items as Json) }),
    ...(anyOf !== undefined && { anyOf }),
    ...(usual !== undefined && name !== 'page' && { default: usual }),
    ...(description !== undefined && !EXPLAINED_ONCE.has(name) && { description }),
  }
}

function shortItems({ properties, type, required }: Json): Json {
  if (properties === undefined) return { type }
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => [
    name,
    shortField(name, field),
  ])
  return { type, properties: Object.fromEntries(fields), required }
}

/** Puts components in the place of references to them. */
function resolved(node: unknown, components: Record<string, Json>): Json {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (typeof value !== 'object' || value === null) return value
    const schema = lookUp(value as Json, components)
    return Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, inline(each)]))
  }
  return inline(node) as Json
}
