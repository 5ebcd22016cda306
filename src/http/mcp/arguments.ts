import { AppError } from '../../errors.ts'
import { VALUE_OPERATORS } from '../../rollups/patterns/value-match.ts'
import { filterFields } from '../../stats/filters/query.ts'
import type { Route } from '../api/routes.ts'
import { createSchemas, type Json, lookUp } from '../openapi/schemas.ts'

const isFilter = (name: string): boolean => Object.hasOwn(filterFields, name)

/**
 * Returns the JSON Schema of a tool's arguments: the fields of the procedure's inputs. Filters are one field `filters`, because
 * written out for each dimension they make a schema of 58 KB, which an assistant would have to read for every tool.
 */
export function argumentsOf({ inputs }: Pick<Route, 'inputs'>): Json {
  const schemas = createSchemas()
  const fields: Record<string, Json> = {}
  const required: string[] = []
  const filters: string[] = []
  for (const input of inputs) {
    const schema = lookUp(schemas.convert(input, 'input'), schemas.components)
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      // A parameter of the procedure itself may have the name of a filter: it takes one text.
      if (isFilter(name) && Array.isArray(field.anyOf)) filters.push(name)
      else fields[name] = resolved(withoutHints(field), schemas.components)
    }
    required.push(...((schema.required ?? []) as string[]))
  }
  if (filters.length > 0) fields.filters = filtersSchema(filters)
  return { type: 'object', properties: fields, required, additionalProperties: false }
}

/**
 * Returns the input of the procedure.
 * @param given arguments of a call, of any shape
 * @throws AppError `validation_failed` for an argument or a filter that the tool does not have: to leave it out would answer
 * another question
 */
export function inputOf(
  schema: Json,
  { filters, ...given }: Record<string, unknown>,
): Record<string, unknown> {
  const properties = schema.properties as Record<string, Json>
  refuseUnknown('argument', Object.keys(given), Object.keys(properties))
  if (filters === undefined || filters === null) return given
  if (typeof filters !== 'object' || Array.isArray(filters)) {
    throw new AppError('validation_failed', 'filters must be an object, by dimension')
  }
  const names = (properties.filters?.propertyNames as { enum: string[] } | undefined)?.enum ?? []
  refuseUnknown('filter', Object.keys(filters), names)
  return { ...filters, ...given }
}

function refuseUnknown(what: string, given: string[], allowed: string[]): void {
  const unknown = given.find(name => !allowed.includes(name))
  if (unknown === undefined) return
  const may = allowed.length > 0 ? `it has ${allowed.join(', ')}` : 'it has none'
  throw new AppError('validation_failed', `The tool has no ${what} ${unknown.slice(0, 64)}: ${may}`)
}

const Values = { type: 'array', items: { type: 'string' }, minItems: 1 }

const filtersSchema = (names: string[]): Json => ({
  type: 'object',
  description:
    'All must match. By dimension a value, a list of which one must match, or operators with such lists: ' +
    '{"country": "DE", "path": {"starts_with": ["/blog"]}, "channel": {"is_not": ["Direct"]}}. The empty value is (none). goal and segment take ids.',
  propertyNames: { enum: names },
  additionalProperties: {
    anyOf: [
      { type: 'string' },
      Values,
      { type: 'object', propertyNames: { enum: VALUE_OPERATORS }, additionalProperties: Values },
    ],
  },
})

/** Hints for the description of the REST API. */
function withoutHints({ openapi: _, ...field }: Json): Json {
  return field
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
