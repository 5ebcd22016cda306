import { createHash } from 'node:crypto'
import { columnOf, DIMENSIONS, levelOf } from './dimensions.ts'
import { HOUR_OF_WEEK } from './registry.ts'

/** Dimension of errors; its values are fingerprints. */
export const ERRORS = 'error'
/** Properties of all events; `propertiesOf` names those of one type and name. A value is a JSON array of key and value. */
export const PROPERTIES = 'property'

export const propertiesOf = (type: string, name: string): string => `${PROPERTIES}/${type}/${name}`

/** Dimensions that rollups count, without the properties of single events. */
export const ROLLED_UP_DIMENSIONS: readonly string[] = [
  ...DIMENSIONS.filter(dimension => levelOf(dimension) !== 'session-only'),
  HOUR_OF_WEEK,
  ERRORS,
  PROPERTIES,
]

/** Raise it when rollups count something in another way than before. */
const COUNTING = 8

/**
 * Names what a daily rollup holds: the columns whose values are counted. Rollups with another hash were made by a version of
 * the service with other dimensions: they are not read, and the scheduler builds them again.
 */
export const DIMENSIONS_HASH = createHash('sha256')
  .update(JSON.stringify([COUNTING, ...ROLLED_UP_DIMENSIONS.map(describe).sort()]))
  .digest('hex')
  .slice(0, 16)

function describe(name: string): string {
  const dimension = DIMENSIONS.find(known => known === name)
  return dimension ? `${name}: ${levelOf(dimension)} ${columnOf(dimension)}` : name
}

export const isRolledUpDimension = (dimension: string): boolean =>
  ROLLED_UP_DIMENSIONS.includes(dimension) || dimension.startsWith(`${PROPERTIES}/`)

/** Returns the value of a `propertiesOf` dimension, as PostgreSQL writes the array of both. */
export const propertyText = (key: string, value: string): string =>
  `[${JSON.stringify(key)}, ${JSON.stringify(value)}]`

/** Parses a value of a `propertiesOf` dimension. */
export function readProperty(value: string): { key: string; value: string } {
  const [key, carried] = JSON.parse(value) as [string, string]
  return { key, value: carried }
}
