import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** A JSON Schema, or any other part of the document. */
export type Json = { [key: string]: unknown }

export interface Schemas {
  /** `components.schemas` of everything that was converted so far. */
  components: Record<string, Json>
  /**
   * A zod schema as JSON Schema of what comes in or goes out. What has an `id` becomes a component and is referred to.
   * @throws Error when two different schemas have the same `id`
   */
  convert(schema: z.core.$ZodType, io: 'input' | 'output'): Json
}

export function createSchemas(): Schemas {
  const components: Record<string, Json> = {}
  return {
    components,
    convert(schema, io) {
      // As a field, a schema with an id becomes a reference, at the root it would not.
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

function pointToComponents(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

/** Keywords whose values are no schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples', 'openapi', 'required'])
/** Keywords whose values are schemas by name. */
const MAPS = new Set(['$defs', 'properties'])

/** What zod writes that says nothing to a reader is taken off, and what may be null is written shorter. */
function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy)
  if (typeof node !== 'object' || node === null) return node
  const schema = mapValues(node, (value, key) => {
    if (VALUES.has(key)) return value
    return MAPS.has(key) ? mapValues(value as object, tidy) : tidy(value)
  })
  // Zod leaves `examples` out of inputs that are transformed, but not this.
  if ('example' in schema) schema.examples = [schema.example]
  delete schema.example
  if (schema.type === 'integer') tidyInteger(schema)
  // The format says what the pattern does, for people too.
  if (typeof schema.format === 'string' && typeof schema.pattern === 'string') delete schema.pattern
  return Array.isArray(schema.anyOf) ? tidyChoice(schema, schema.anyOf) : schema
}

function mapValues(record: object, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}

function tidyInteger(schema: Json): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.maximum === undefined) schema.format ??= 'int64'
}

/** `T | null` of a plain type is one type with two names; a choice that anything fits is none. */
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
