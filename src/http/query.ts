import type { z } from 'zod'

/** A query string as the input of a procedure, and the names in it that no such input has. */
export interface QueryInput {
  input: Record<string, unknown>
  ignored: string[]
}

/**
 * `a=1` becomes `{a: '1'}`, `a=1&a=2` becomes `{a: ['1', '2']}`, `a[op]=1` becomes `{a: {op: '1'}}`, and `a=1`
 * beside that is its operator `is`.
 * @param known names of parameters that mean something here
 */
export function readQuery(url: string, known: ReadonlySet<string>): QueryInput {
  const start = url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  const input: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const key of new Set(parameters.keys())) {
    const [, name = key, operator] = /^([^[\]]+)\[(.*)\]$/s.exec(key) ?? []
    if (!known.has(name)) {
      ignored.push(key)
      continue
    }
    const values = parameters.getAll(key)
    const value = values.length === 1 ? values[0] : values
    const before = input[name]
    if (operator === undefined && before === undefined) input[name] = value
    else input[name] = { ...operatorsOf(before), [operator ?? 'is']: value }
  }
  return { input, ignored }
}

function operatorsOf(value: unknown): object {
  if (value === undefined) return {}
  return typeof value === 'object' && !Array.isArray(value) ? value! : { is: value }
}

const MAX_NAMES = 20
const MAX_NAME_LENGTH = 64

/** Names as a header can carry them: percent-encoded, the first twenty, none longer than 64 characters. */
export function headerList(names: string[]): string {
  return names
    .slice(0, MAX_NAMES)
    .map(name => encodeURIComponent(name.toWellFormed()).slice(0, MAX_NAME_LENGTH))
    .join(', ')
}

/** The fields of an object schema, also when it is wrapped by a default, a refinement or a transformation. */
export function fieldsOf(schema: z.core.$ZodType): string[] {
  const def = schema._zod.def as { shape?: object; innerType?: z.core.$ZodType; in?: z.core.$ZodType }
  if (def.shape) return Object.keys(def.shape)
  const inner = def.innerType ?? def.in
  return inner ? fieldsOf(inner) : []
}
