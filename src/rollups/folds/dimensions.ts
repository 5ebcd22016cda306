/** Errors by their fingerprint. */
export const ERRORS = 'error'
/** Properties of all events; those of one type and name are `propertiesOf`. Their values are JSON arrays of key and value. */
export const PROPERTIES = 'property'

export const propertiesOf = (type: string, name: string): string => `${PROPERTIES}/${type}/${name}`

/** Dimensions that never change once a hit is stored (all of contract §8 but `user_id` and `visit_count`), and what is ranked beside. */
export const FOLDED_DIMENSIONS: readonly string[] = [
  'path',
  'title',
  'hostname',
  'event_name',
  'entry_path',
  'referrer',
  'channel',
  'source',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'browser',
  'os',
  'size',
  'country',
  'region',
  'city',
  ERRORS,
  PROPERTIES,
]

export const isFoldedDimension = (dimension: string): boolean =>
  FOLDED_DIMENSIONS.includes(dimension) || dimension.startsWith(`${PROPERTIES}/`)

/** What a value of `propertiesOf` says. */
export function readProperty(value: string): { key: string; value: string } {
  const [key, carried] = JSON.parse(value) as [string, string]
  return { key, value: carried }
}
