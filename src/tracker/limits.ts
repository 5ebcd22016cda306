/** Limits of the API. Longer texts are cut here, because the API refuses the whole hit otherwise. */
const MAX_PROPERTIES = 50
const MAX_KEY = 64
const MAX_VALUE = 500
export const MAX_NAME = 255
export const MAX_PATH = 2048
export const MAX_TITLE = 512
/** Changes of the address within this time are one pageview. */
export const SETTLE_MS = 100
/** Longest time that a pageview waits for the title of its page: applications set it later than the address. */
export const MAX_TITLE_MS = 1_000
/** Longest text of a link or button. */
export const MAX_LABEL = 100
/** Longest message and longest stack of an error. */
export const MAX_ERROR = 5_000
export const MAX_ERRORS = 10

/** Returns a value as text, an object as JSON; undefined for what has neither, such as a symbol or a function. */
export function textOf(value: unknown): string | undefined {
  try {
    if (value == null) return
    const isObject = value === Object(value) && !(value instanceof Error)
    const text = isObject ? JSON.stringify(value) : `${value}`
    // The JSON of a date is a text. The API drops the character 0, and refuses a name without others.
    return (isObject && text[0] === '"' ? (JSON.parse(text) as string) : text).replace(/\0/g, '')
  } catch {}
}

/** The API counts characters as this does, which cuts none into halves. */
export const first = (text: string, max: number): string => [...text.slice(0, 2 * max)].slice(0, max).join('')

/** Returns the first `max` characters; undefined for an empty value, which JSON omits. */
export function cut(value: unknown, max: number): string | undefined {
  const text = textOf(value)
  return text ? first(text, max) : undefined
}

/** Returns the flat map of texts that the API accepts, without entries that have no name or no text. */
export function properties(given: unknown): Record<string, string> {
  const kept: Record<string, string> = {}
  let left = MAX_PROPERTIES
  for (const name of given === Object(given) ? Object.keys(given as object) : []) {
    try {
      const key = cut(name, MAX_KEY)
      const text = textOf((given as Record<string, unknown>)[name])
      if (key && text !== undefined && left-- > 0) kept[key] = first(text, MAX_VALUE)
    } catch {}
  }
  return kept
}
