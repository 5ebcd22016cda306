import type { SHARED_DIMENSIONS } from '../../rollups/daily/dimensions.ts'

/** Dimensions of a single hit, and the column of `events` that stores each of them. */
export const HIT_COLUMNS = {
  path: 'path',
  title: 'title',
  hostname: 'hostname',
  event_name: 'name',
} as const
export type HitDimension = keyof typeof HIT_COLUMNS

/** Dimensions that a session takes from its opening hit. */
export type SharedDimension = (typeof SHARED_DIMENSIONS)[number]

/** Dimensions that exist only in the row of the session: they may change after a hit was stored. */
export const SESSION_ONLY_DIMENSIONS = ['user_id', 'visit_count'] as const
export type SessionOnlyDimension = (typeof SESSION_ONLY_DIMENSIONS)[number]

export type Dimension = HitDimension | SharedDimension | SessionOnlyDimension

/** All 21, in the order of spec.md "GET /stats/filter-values". */
export const DIMENSIONS = [
  'path',
  'entry_path',
  'title',
  'hostname',
  'user_id',
  'event_name',
  'visit_count',
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
] as const satisfies readonly Dimension[]

export const isHitDimension = (dimension: Dimension): dimension is HitDimension => dimension in HIT_COLUMNS

const sessionOnly: readonly string[] = SESSION_ONLY_DIMENSIONS

export const isSessionOnly = (dimension: Dimension): dimension is SessionOnlyDimension =>
  sessionOnly.includes(dimension)
