import { z } from 'zod'
import { AppError, type FieldErrors } from '../errors.ts'

type Schema = z.core.$ZodType

interface Definition {
  type: string
  shape?: Record<string, Schema>
  catchall?: Schema
  innerType?: Schema
  in?: Schema
  out?: Schema
  options?: Schema[]
  element?: Schema
  valueType?: Schema
}

/** Returns what a schema takes, by itself: without defaults, refinements and transformations, each option of a union. */
function partsOf(schema: Schema): Definition[] {
  const definition = schema._zod.def as unknown as Definition
  const { type, innerType, in: before, out, options } = definition
  if (options) return options.flatMap(partsOf)
  if (type === 'pipe')
    return partsOf((before!._zod.def as unknown as Definition).type === 'transform' ? out! : before!)
  return innerType ? partsOf(innerType) : [definition]
}

/** Returns the field names of an object schema. */
export const fieldsOf = (schema: Schema): string[] =>
  partsOf(schema).flatMap(({ shape }) => Object.keys(shape ?? {}))

/**
 * Refuses fields that no schema has, however deep: left out silently, they would make another question of a misspelt one.
 * @param schemas of the input; a field may be known to any of them
 * @throws AppError `validation_failed`, with each unknown field and those that are known in its place
 */
export function refuseUnknownFields(schemas: Schema[], input: unknown): void {
  const fields: FieldErrors = Object.create(null)
  collect(schemas.length > 0 ? schemas : [z.object({})], input, '', fields)
  const [first] = Object.entries(fields)
  if (first) throw new AppError('validation_failed', `${first[0]} ${first[1][0]}`, { fields })
}

function collect(schemas: Schema[], value: unknown, path: string, fields: FieldErrors): void {
  if (typeof value !== 'object' || value === null) return
  const parts = schemas.flatMap(partsOf)
  if (Array.isArray(value)) {
    const elements = parts.flatMap(({ element }) => element ?? [])
    value.forEach((each, index) => {
      collect(elements, each, `${path}${index}.`, fields)
    })
    return
  }
  const objects = parts.filter(({ shape, valueType }) => shape ?? valueType)
  const isOpen = objects.some(
    ({ catchall, valueType }) => valueType ?? (catchall && catchall._zod.def.type !== 'never'),
  )
  const known = objects.flatMap(({ shape }) => Object.keys(shape ?? {}))
  for (const [name, each] of Object.entries(value)) {
    const ofName = objects.flatMap(({ shape, valueType }) =>
      shape && Object.hasOwn(shape, name) ? shape[name]! : (valueType ?? []),
    )
    if (ofName.length > 0) collect(ofName, each, `${path}${name}.`, fields)
    else if (objects.length > 0 && !isOpen) fields[`${path}${name}`.slice(0, 200)] = [unknown(known)]
  }
}

const unknown = (known: string[]): string =>
  known.length > 0
    ? `is no field of this call; it has ${[...new Set(known)].join(', ')}`
    : 'is no field of this call; it has none'
