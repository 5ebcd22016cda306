import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** JSON Schema, or any other part of the OpenAPI document. */
export type Json = { [key: string]: unknown }

export function createSchemas() {
  const components: Record<string, Json> = {}
  return {
    /** Of all schemas that were converted so far. */
    components,
    /**
     * Converts a zod schema to the JSON Schema of its input or its output. A schema with an `id` becomes a referenced component.
     * @throws Error when two different schemas have the same `id`
     */
    convert(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
      // Wrap the schema in an object: zod makes a schema with an id a reference only below the root.
      const whole = z.toJSONSchema(z.object({ schema }), { io, unrepresentable: 'any' })
      const { properties, $defs = {} } = tidy(pointToComponents(whole)) as {
        properties: { schema: Json }
        $defs?: Record<string, Json>
      }
      for (const [name, definition] of Object.entries($defs)) {
        if (components[name] && !isDeepStrictEqual(components[name], definition)) {
          throw new Error(`two schemas are called ${name}`)
        }
        components[name] = definition
      }
      return properties.schema
    },
  }
}

export type Schemas = ReturnType<typeof createSchemas>

function pointToComponents(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

/** Keywords whose values are not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples', 'openapi', 'required'])
/** Keywords whose values are maps from names to schemas. */
const MAPS = new Set(['$defs', 'properties'])

/** Removes details of zod's output that do not help a reader, and shortens nullable types. */
function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy)
  if (typeof node !== 'object' || node === null) return node
  const schema: Json = mapValues(node as Json, (value, key) => {
    if (VALUES.has(key)) return value
    return MAPS.has(key) ? mapValues(value as Json, tidy) : tidy(value)
  })
  // Schemas declare `example`, because zod omits `examples` from inputs that are transformed.
  if ('example' in schema) schema.examples = [schema.example]
  delete schema.example
  if (schema.type === 'integer') tidyInteger(schema)
  // The format says the same as the pattern, and is easier to read.
  if (typeof schema.format === 'string' && typeof schema.pattern === 'string') delete schema.pattern
  return Array.isArray(schema.anyOf) ? tidyChoice(schema, schema.anyOf) : schema
}

/** Returns the record with other values. */
export const mapValues = <From, To>(
  record: { [key: string]: From },
  change: (value: From, key: string) => To,
) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

function tidyInteger(schema: Json): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.maximum === undefined) schema.format ??= 'int64'
}

/** Shortens `T | null` of a plain type to one type list. Drops a choice if one of its alternatives accepts any value. */
function tidyChoice({ anyOf: _, ...rest }: Json, given: Json[]): Json {
  const isChoice = (schema: Json) => Array.isArray(schema.anyOf) && Object.keys(schema).length === 1
  const choices = given.flatMap(schema => (isChoice(schema) ? (schema.anyOf as Json[]) : [schema]))
  if (choices.some(choice => Object.keys(choice).length === 0)) return rest
  const [only, ...others] = choices.filter(choice => choice.type !== 'null')
  const isNullable = others.length === 0 && choices.length === 2
  if (!isNullable || typeof only?.type !== 'string') return { ...rest, anyOf: choices }
  const values = Array.isArray(only.enum) ? { enum: [...only.enum, null] } : {}
  return { ...only, ...values, type: [only.type, 'null'], ...rest }
}

const FORMATS: Record<string, string> = {
  date: '2026-03-29',
  'date-time': '2026-03-29T09:41:07.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90',
}

/** Returns an example value of the schema, built from the examples of the schema and its fields. */
export function exampleOf(schema: Json, components: Record<string, Json>): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(lookUp(schema, components), components)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices) return exampleOf(choices.find(choice => choice.type !== 'null') ?? {}, components)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, field]) => [
          name,
          exampleOf(field, components),
        ]),
      )
    case 'array': {
      const items = (schema.prefixItems ?? [schema.items]) as Json[]
      return items.map(item => exampleOf(item, components))
    }
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'string':
      return FORMATS[schema.format as string] ?? 'text'
    default:
      return null
  }
}

/** Returns the component that a schema refers to, or the schema itself. */
export const lookUp = (schema: Json, components: Record<string, Json>): Json =>
  typeof schema.$ref === 'string' ? components[schema.$ref.replace('#/components/schemas/', '')]! : schema
