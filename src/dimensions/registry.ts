export interface DimensionEntry {
  /**
   * `hit`: a value of each hit. `session`: a value that a session takes from its opening hit, a column of `sessions` that is copied
   * to every hit in `events`. `session-only`: a column of `sessions` that may change after a hit was stored; daily rollups do not
   * count it, because they would keep the old value.
   */
  level: 'hit' | 'session' | 'session-only'
  /** Column of `events`; by default the name of the dimension. */
  column?: string
  /** Text and examples of the filter, for the API description. */
  description: string
  example: string[]
}

const entryOf =
  <Level extends DimensionEntry['level']>(level: Level) =>
  (description: string, ...example: string[]) => ({ level, description, example })
const ofHit = entryOf('hit')
const ofSession = entryOf('session')
const ofSessionOnly = entryOf('session-only')

/**
 * All dimensions, in the order of the API description. Lists of columns in SQL, filters, breakdowns and rollups are derived from
 * this table; CONTRIBUTING.md says how to add one.
 */
export const DIMENSION_REGISTRY = {
  path: ofHit('Path of the hit.', '/pricing'),
  entry_path: ofSession("Path of the session's first hit.", '/'),
  title: ofHit('Title of the hit.', 'Pricing'),
  hostname: ofHit('Host of the hit.', 'example.com'),
  user_id: ofSessionOnly('Identified user of the session.', 'user-42'),
  event_name: { ...ofHit('Name of the event.', 'signup'), column: 'name' },
  visit_count: ofSessionOnly('Which session of the visitor it is, from 1.', '1'),
  referrer: ofSession('Host and path of the referrer.', 'news.ycombinator.com/item'),
  channel: ofSession('Channel of the session.', 'Organic Search'),
  source: ofSession('Source of the session.', 'Google'),
  utm_source: ofSession('Tag `utm_source`.', 'newsletter'),
  utm_medium: ofSession('Tag `utm_medium`.', 'email'),
  utm_campaign: ofSession('Tag `utm_campaign`.', 'spring'),
  utm_content: ofSession('Tag `utm_content`.', 'footer'),
  utm_term: ofSession('Tag `utm_term`.', 'analytics'),
  browser: ofSession('Browser of the session.', 'Firefox'),
  os: ofSession('Operating system of the session.', 'Linux'),
  size: ofSession('`desktop`, `mobile` or `tablet`.', 'mobile'),
  country: ofSession('ISO 3166-1 alpha-2.', 'DE', 'AT'),
  region: ofSession('ISO 3166-2.', 'DE-BE'),
  city: ofSession('City.', 'Berlin'),
} satisfies Record<string, DimensionEntry>
