import type { BreakdownDimension, Dimension } from './dimensions.ts'

/** Dimensions that `customers` has of a customer's first visit. */
export const FIRST_VISIT_DIMENSIONS = [
  'channel',
  'source',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'country',
  'entry_path',
] as const satisfies Dimension[]
export type FirstVisitDimension = (typeof FIRST_VISIT_DIMENSIONS)[number]

export const isOfFirstVisit = (dimension: BreakdownDimension): dimension is FirstVisitDimension =>
  FIRST_VISIT_DIMENSIONS.some(name => name === dimension)
