/** Dimensions that a session takes from its first hit: columns of `sessions`, copied to every hit. */
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

/** Dimension of errors; its values are fingerprints. */
export const ERRORS = 'error'
/** Properties of all events; `propertiesOf` names those of one type and name. A value is a JSON array of key and value. */
export const PROPERTIES = 'property'

export const propertiesOf = (type: string, name: string): string => `${PROPERTIES}/${type}/${name}`

/** Dimensions whose values never change after a hit is stored. `user_id` and `visit_count` can change, so they are left out. */
export const ROLLED_UP_DIMENSIONS: readonly string[] = [
  'path',
  'title',
  'hostname',
  'event_name',
  ...SHARED_DIMENSIONS,
  ERRORS,
  PROPERTIES,
]

export const isRolledUpDimension = (dimension: string): boolean =>
  ROLLED_UP_DIMENSIONS.includes(dimension) || dimension.startsWith(`${PROPERTIES}/`)

/** Parses a value of a `propertiesOf` dimension. */
export function readProperty(value: string): { key: string; value: string } {
  const [key, carried] = JSON.parse(value) as [string, string]
  return { key, value: carried }
}
