import type { Json } from './schemas.ts'

const FORMATS: Record<string, string> = {
  date: '2026-03-29',
  'date-time': '2026-03-29T09:41:07.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90',
}

/** Returns an example value of the schema, built from the examples of the schema and its fields. */
export function exampleOf(schema: Json, components: Record<string, Json>): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref, components), components)
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

function resolve(ref: string, components: Record<string, Json>): Json {
  return components[ref.replace('#/components/schemas/', '')]!
}
