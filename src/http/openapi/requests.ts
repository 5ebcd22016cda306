import type { Route } from '../api/routes.ts'
import { exampleOf, type Json, lookUp } from './schemas.ts'

/**
 * Describes where the fields of a route's inputs are sent: in the path, in the query of a GET, else in a JSON body.
 * @param inputs object schemas, or references to components that are object schemas
 */
export function requestOf(
  { method, path, rawBody }: Pick<Route, 'method' | 'path' | 'rawBody'>,
  inputs: Json[],
  components: Record<string, Json>,
): { parameters?: Json[]; requestBody?: Json } {
  const isInPath = (name: string) => path.split('/').includes(`:${name}`)
  const parameters: Json[] = []
  const bodies: Json[] = []
  for (const input of inputs) {
    const fields = fieldsOf(input, components)
    for (const [name, field] of Object.entries(fields.properties)) {
      if (isInPath(name)) parameters.push(parameter({ name, in: 'path', required: true }, field, components))
      else if (method === 'get') {
        parameters.push(queryParameter(name, field, fields.required.includes(name), components))
      }
    }
    const names = Object.keys(fields.properties)
    if (!names.some(isInPath)) bodies.push(input)
    else if (!names.every(isInPath)) bodies.push(without(isInPath, lookUp(input, components)))
  }
  if (bodies.length > 1 && method !== 'get')
    throw new Error(`${path} takes its body from more than one input`)
  // Required parameters come first: readers would miss them among the many optional ones.
  parameters.sort((a, b) => Number(b.required ?? false) - Number(a.required ?? false))
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(method !== 'get' && bodies[0] && { requestBody: rawBody ? BYTES : jsonBody(bodies[0], components) }),
  }
}

const BYTES = {
  required: true,
  content: {
    'application/octet-stream': {
      schema: { type: 'string', format: 'binary' },
      example: 'the bytes of the part',
    },
  },
}

/** Describes a JSON body with an example. The body is optional when every field is optional. */
export function jsonBody(schema: Json, components: Record<string, Json>): Json {
  const { required } = lookUp(schema, components)
  return {
    required: Array.isArray(required) && required.length > 0,
    content: { 'application/json': { schema, example: exampleOf(schema, components) } },
  }
}

/**
 * Describes a query parameter. A filter accepts one text, a list or operators: it is shown as a list, and the description
 * names the operators. A field overrides parts of the result with `.meta({ openapi: {…} })`.
 */
function queryParameter(
  name: string,
  { openapi, anyOf, ...field }: Json,
  required: boolean,
  components: Record<string, Json>,
): Json {
  const choices = (anyOf ?? []) as Json[]
  const list = choices.find(choice => choice.type === 'array')
  const schema = list ? { ...list, ...field } : { ...field, ...(anyOf !== undefined && { anyOf }) }
  const operators = Object.keys(choices.find(choice => choice.type === 'object')?.properties ?? {})
  const others = operators.filter(each => each !== 'is').map(each => `\`${name}[${each}]\``)
  const description = `${field.description} Compared otherwise: ${others.join(', ')}.`
  return {
    ...parameter({ name, in: 'query', ...(required && { required }) }, schema, components),
    ...(list && { style: 'form', explode: true }),
    ...(others.length > 0 && { description }),
    ...(openapi as Json | undefined),
  }
}

/** Moves the description from the schema to the parameter, where readers look for it. */
function parameter(head: Json, { description, ...schema }: Json, components: Record<string, Json>): Json {
  const hasExample = Array.isArray(schema.examples) || 'default' in schema || Array.isArray(schema.enum)
  return {
    ...head,
    ...(typeof description === 'string' && { description }),
    schema,
    ...(hasExample && { example: exampleOf(schema, components) }),
  }
}

function fieldsOf(input: Json, components: Record<string, Json>) {
  const { properties = {}, required = [] } = lookUp(input, components)
  return { properties: properties as Record<string, Json>, required: required as string[] }
}

function without(isLeftOut: (name: string) => boolean, { properties, required = [], ...rest }: Json): Json {
  const fields = Object.entries(properties as object).filter(([name]) => !isLeftOut(name))
  return {
    ...rest,
    properties: Object.fromEntries(fields),
    required: (required as string[]).filter(name => !isLeftOut(name)),
  }
}
