interface Described {
  /** Text and examples of the filter, for the API description. */
  description: string
  example: readonly string[]
}

export type DimensionEntry = Described &
  (
    | {
        /** A value of each hit. */
        level: 'hit'
        /** Column of `events`; by default the name of the dimension. */
        column?: string
        isRolledUp: boolean
      }
    | {
        /** A value that a session takes from its opening hit: a column of `sessions`, copied to every hit in `events`. */
        level: 'session'
        isRolledUp: boolean
      }
    | {
        /** A column of `sessions` that may change after a hit was stored. A rollup would keep the old value. */
        level: 'session-only'
        isRolledUp: false
      }
  )

/**
 * All dimensions, in the order of the API description. Lists of columns in SQL, filters, breakdowns and rollups are derived from
 * this table; CONTRIBUTING.md says how to add one.
 */
export const DIMENSION_REGISTRY = {
  path: { level: 'hit', isRolledUp: true, description: 'Path of the hit.', example: ['/pricing'] },
  entry_path: {
    level: 'session',
    isRolledUp: true,
    description: "Path of the session's first hit.",
    example: ['/'],
  },
  title: { level: 'hit', isRolledUp: true, description: 'Title of the hit.', example: ['Pricing'] },
  hostname: { level: 'hit', isRolledUp: true, description: 'Host of the hit.', example: ['example.com'] },
  user_id: {
    level: 'session-only',
    isRolledUp: false,
    description: 'Identified user of the session.',
    example: ['user-42'],
  },
  event_name: {
    level: 'hit',
    column: 'name',
    isRolledUp: true,
    description: 'Name of the event.',
    example: ['signup'],
  },
  visit_count: {
    level: 'session-only',
    isRolledUp: false,
    description: 'Which session of the visitor it is, from 1.',
    example: ['1'],
  },
  referrer: {
    level: 'session',
    isRolledUp: true,
    description: 'Host and path of the referrer.',
    example: ['news.ycombinator.com/item'],
  },
  channel: {
    level: 'session',
    isRolledUp: true,
    description: 'Channel of the session.',
    example: ['Organic Search'],
  },
  source: { level: 'session', isRolledUp: true, description: 'Source of the session.', example: ['Google'] },
  utm_source: {
    level: 'session',
    isRolledUp: true,
    description: 'Tag `utm_source`.',
    example: ['newsletter'],
  },
  utm_medium: { level: 'session', isRolledUp: true, description: 'Tag `utm_medium`.', example: ['email'] },
  utm_campaign: {
    level: 'session',
    isRolledUp: true,
    description: 'Tag `utm_campaign`.',
    example: ['spring'],
  },
  utm_content: { level: 'session', isRolledUp: true, description: 'Tag `utm_content`.', example: ['footer'] },
  utm_term: { level: 'session', isRolledUp: true, description: 'Tag `utm_term`.', example: ['analytics'] },
  browser: {
    level: 'session',
    isRolledUp: true,
    description: 'Browser of the session.',
    example: ['Firefox'],
  },
  os: {
    level: 'session',
    isRolledUp: true,
    description: 'Operating system of the session.',
    example: ['Linux'],
  },
  size: {
    level: 'session',
    isRolledUp: true,
    description: '`desktop`, `mobile` or `tablet`.',
    example: ['mobile'],
  },
  country: { level: 'session', isRolledUp: true, description: 'ISO 3166-1 alpha-2.', example: ['DE', 'AT'] },
  region: { level: 'session', isRolledUp: true, description: 'ISO 3166-2.', example: ['DE-BE'] },
  city: { level: 'session', isRolledUp: true, description: 'City.', example: ['Berlin'] },
} as const satisfies Record<string, DimensionEntry>
