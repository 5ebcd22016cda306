/** What the API takes; longer texts are cut here, because it refuses a hit that has one. */
const MAX_PROPERTIES = 50
const MAX_KEY = 64
const MAX_VALUE = 500
export const MAX_NAME = 255
export const MAX_PATH = 2048
export const MAX_TITLE = 512
/** Applications set the title after they have changed the address; several changes at once are one. */
export const SETTLE_MS = 100
/** Text of a link or button. */
export const MAX_LABEL = 100
/** Message and stack of an error. */
export const MAX_ERROR = 5_000
export const MAX_ERRORS = 10

/** The first `max` characters; undefined for nothing, which JSON leaves out. */
export const cut = (value: unknown, max: number): string | undefined =>
  value ? String(value).slice(0, max) : undefined

/** A flat map of texts, as the API takes it; what has no value is left out. */
export function properties(given: object | undefined): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [key, value] of Object.entries(given || {}).slice(0, MAX_PROPERTIES)) {
    if (value != null) kept[key.slice(0, MAX_KEY)] = String(value).slice(0, MAX_VALUE)
  }
  return kept
}
