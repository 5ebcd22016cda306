/** Limits of the API. Longer texts are cut here, because the API refuses the whole hit otherwise. */
const MAX_PROPERTIES = 50
const MAX_KEY = 64
const MAX_VALUE = 500
export const MAX_NAME = 255
export const MAX_PATH = 2048
export const MAX_TITLE = 512
/** Delay after an address change: applications set the title later, and several changes at once are one pageview. */
export const SETTLE_MS = 100
/** Longest text of a link or button. */
export const MAX_LABEL = 100
/** Longest message and longest stack of an error. */
export const MAX_ERROR = 5_000
export const MAX_ERRORS = 10

/** Returns the first `max` characters; undefined for an empty value, which JSON omits. */
export const cut = (value: unknown, max: number): string | undefined =>
  value ? `${value}`.slice(0, max) : undefined

/** Returns the flat map of texts that the API accepts, without entries that have no value. */
export function properties(given: object | undefined): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [key, value] of Object.entries(given || {}).slice(0, MAX_PROPERTIES)) {
    if (value != null) kept[key.slice(0, MAX_KEY)] = `${value}`.slice(0, MAX_VALUE)
  }
  return kept
}
