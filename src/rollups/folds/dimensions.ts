/** Dimensions a session takes from its opening hit: columns of `sessions` and, copied, of every hit. */
export const SHARED_DIMENSIONS = [
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
] as const

/** Errors by their fingerprint. */
export const ERRORS = 'error'
/** Properties of all events; those of one type and name are `propertiesOf`. Their values are JSON arrays of key and value. */
export const PROPERTIES = 'property'

export const propertiesOf = (type: string, name: string): string => `${PROPERTIES}/${type}/${name}`

/** What never changes once a hit is stored, unlike `user_id` and `visit_count`. */
export const FOLDED_DIMENSIONS: readonly string[] = [
  'path',
  'title',
  'hostname',
  'event_name',
  ...SHARED_DIMENSIONS,
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
