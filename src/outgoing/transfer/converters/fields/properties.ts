import { cut, isWithin, mend } from '../../../../platform/schema/validation.ts'
import { LIMITS, type Texts } from './texts.ts'

export type Properties = Record<string, string>

/**
 * Returns properties within the limits of a body: values become texts, objects and arrays JSON. What is null or undefined is left
 * out, and so is what is beyond 50 properties.
 */
export function readProperties(
  entries: Iterable<readonly [key: string, value: unknown]>,
  texts: Texts,
): Properties | undefined {
  const properties = new Map<string, string>()
  for (const [name, value] of entries) {
    const key = boundedKey(name, texts)
    const text = valueText(value)
    if (key === undefined || text === undefined) continue
    if (properties.size >= LIMITS.properties && !properties.has(key)) {
      texts.report(`properties beyond ${LIMITS.properties}`)
      break
    }
    if (!isWithin(text, LIMITS.propertyValue))
      texts.report(`property cut to ${LIMITS.propertyValue} characters`)
    properties.set(key, cut(text, LIMITS.propertyValue))
  }
  return properties.size > 0 ? Object.fromEntries(properties) : undefined
}

function boundedKey(name: string, texts: Texts): string | undefined {
  const key = mend(name)
  if (key === '' || key === '__proto__') return undefined
  if (isWithin(key, LIMITS.propertyKey)) return key
  texts.report(`name of a property cut to ${LIMITS.propertyKey} characters`)
  return cut(key, LIMITS.propertyKey)
}

function valueText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return mend(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined
    case 'boolean':
      return String(value)
    case 'object':
      return value === null ? undefined : mend(JSON.stringify(value))
    default:
      return undefined
  }
}

/** Entries of a value if it is an object; of others none. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
