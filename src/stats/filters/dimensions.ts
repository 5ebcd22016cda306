import {
  columnOf,
  DIMENSIONS,
  type Dimension,
  type DimensionOf,
  dimensionsOfLevel,
  levelOf,
} from '../../dimensions/dimensions.ts'
import { DIMENSION_REGISTRY } from '../../dimensions/registry.ts'

export { DIMENSIONS, type Dimension }

/** Dimensions of a single hit, and the column of `events` that stores each of them. */
export const HIT_COLUMNS = Object.fromEntries(
  dimensionsOfLevel('hit').map(dimension => [dimension, columnOf(dimension)]),
) as Record<DimensionOf<'hit'>, string>

export const isHitDimension = (dimension: Dimension): dimension is DimensionOf<'hit'> =>
  levelOf(dimension) === 'hit'

/** Returns whether a dimension exists only in the row of the session: it may change after a hit was stored. */
export const isSessionOnly = (dimension: Dimension): dimension is DimensionOf<'session-only'> =>
  levelOf(dimension) === 'session-only'

/** Text and examples of each filter, for the API description. `campaign` is another name of `utm_campaign`. */
export const DIMENSION_DESCRIPTIONS = Object.fromEntries(
  Object.entries<{ description: string; example: readonly string[] }>({
    ...DIMENSION_REGISTRY,
    campaign: { description: 'The same as `utm_campaign`.', example: ['spring'] },
  }).map(([name, { description, example }]) => [name, { description, example }]),
) as Record<Dimension | 'campaign', { description: string; example: string[] }>
