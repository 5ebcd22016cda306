import { DIMENSION_REGISTRY, type DimensionEntry, HOUR_OF_WEEK } from './registry.ts'
import type { Section } from './sections.ts'

export type Dimension = keyof typeof DIMENSION_REGISTRY
export type Level = DimensionEntry['level']
/** Dimensions of a level. */
export type DimensionOf<Wanted extends Level> = {
  [Name in Dimension]: (typeof DIMENSION_REGISTRY)[Name]['level'] extends Wanted ? Name : never
}[Dimension]

const entries: Record<Dimension, DimensionEntry> = DIMENSION_REGISTRY

export const DIMENSIONS = Object.keys(DIMENSION_REGISTRY) as [Dimension, ...Dimension[]]

/** What traffic can be broken down by; `HOUR_OF_WEEK` is no filter. */
export type BreakdownDimension = Dimension | typeof HOUR_OF_WEEK
export const BREAKDOWN_DIMENSIONS = [...DIMENSIONS, HOUR_OF_WEEK] as [
  BreakdownDimension,
  ...BreakdownDimension[],
]

export const levelOf = (dimension: Dimension): Level => entries[dimension].level

/** Returns the section of a share that a dimension belongs to. */
export const sectionOf = (dimension: BreakdownDimension): Section =>
  dimension === HOUR_OF_WEEK ? 'traffic' : entries[dimension].section

export const isHitDimension = (dimension: BreakdownDimension): dimension is DimensionOf<'hit'> =>
  dimension !== HOUR_OF_WEEK && levelOf(dimension) === 'hit'

/** Returns whether a dimension is known only when a session is over, and everything counts by the start of the session. */
export const isOfSessionEnd = (dimension: BreakdownDimension): dimension is DimensionOf<'session-end'> =>
  dimension !== HOUR_OF_WEEK && levelOf(dimension) === 'session-end'

type InSessionRow = DimensionOf<'session-row' | 'session-end' | 'session-only'>

/** Returns whether a dimension exists only in the row of the session, not in its hits. */
export const isInSessionRow = (dimension: Dimension): dimension is InSessionRow =>
  levelOf(dimension) !== 'hit' && levelOf(dimension) !== 'session'

/** Whether a dimension of sessions may change after the session began. */
export const isChanging = (dimension: Dimension): boolean =>
  levelOf(dimension) === 'session-end' || levelOf(dimension) === 'session-only'

/** Returns the dimensions of a level, in the order of the registry. */
export const dimensionsOfLevel = <Wanted extends Level>(level: Wanted): DimensionOf<Wanted>[] =>
  DIMENSIONS.filter((dimension): dimension is DimensionOf<Wanted> => levelOf(dimension) === level)

/** Returns the column that stores a dimension: of `events` for dimensions of hits, of `sessions` and `events` for others. */
export const columnOf = (dimension: Dimension): string => entries[dimension].column ?? dimension

/** Columns of `sessions` that a session takes from its opening hit, but that are no dimensions. */
const OTHER_ATTRIBUTES = ['hostname'] as const

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** Returns the name of a column as a field: `utm_source` → `utmSource`. */
export const fieldOf = <Name extends string>(column: Name): CamelCase<Name> =>
  column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>

/** Columns of `events` that are copied from the session. */
export const COPIED_COLUMNS = dimensionsOfLevel('session')
export type CopiedField = CamelCase<DimensionOf<'session'>>

/** Columns of `sessions` that a session takes from its opening hit. */
export const SESSION_ATTRIBUTES = [
  ...COPIED_COLUMNS,
  ...dimensionsOfLevel('session-row'),
  ...OTHER_ATTRIBUTES,
]
export type SessionAttribute = CamelCase<(typeof SESSION_ATTRIBUTES)[number]>
