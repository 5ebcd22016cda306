import type { Section } from './sections.ts'

export interface DimensionEntry {
  /**
   * `hit`: a value of each hit. `session`: a value that a session takes from its opening hit, a column of `sessions` that is copied
   * to every hit in `events`. `session-row`: the same, but a column of `sessions` only. `session-end`: a column of `sessions` that
   * is known when the session is over; everything is counted by the start of the session. `session-only`: a column of `sessions`
   * that may change at any time; daily rollups do not count it, because they would keep the old value.
   */
  level: 'hit' | 'session' | 'session-row' | 'session-end' | 'session-only'
  /** Section of a share that filters and breakdowns by the dimension belong to. */
  section: Section
  /** Column of `events`; by default the name of the dimension. */
  column?: string
  /** Text and examples of the filter, for the API description. */
  description: string
  example: string[]
}

const entryOf =
  <Level extends DimensionEntry['level']>(level: Level) =>
  (section: Section, description: string, ...example: string[]) => ({ level, section, description, example })
const ofHit = entryOf('hit')
const ofSession = entryOf('session')
const ofSessionRow = entryOf('session-row')
const ofSessionEnd = entryOf('session-end')
const ofSessionOnly = entryOf('session-only')

/**
 * All dimensions, in the order of the API description. Lists of columns in SQL, filters, breakdowns and rollups are derived from
 * this table; docs/recipes.md says how to add one.
 */
export const DIMENSION_REGISTRY = {
  path: ofHit('pages', 'Path of the hit.', '/pricing'),
  entry_path: ofSession('pages', "Path of the session's first hit.", '/'),
  exit_path: ofSessionEnd('pages', "Path of the session's last pageview.", '/checkout'),
  title: ofHit('pages', 'Title of the hit.', 'Pricing'),
  hostname: ofHit('pages', 'Host of the hit.', 'example.com'),
  user_id: ofSessionOnly('people', 'Identified user of the session.', 'user-42'),
  event_name: { ...ofHit('events', 'Name of the event.', 'signup'), column: 'name' },
  visit_count: ofSessionOnly('people', 'Which session of the visitor it is, from 1.', '1'),
  referrer: ofSession('sources', 'Host and path of the referrer.', 'news.ycombinator.com/item'),
  channel: ofSession('sources', 'Channel of the session.', 'Organic Search'),
  source: ofSession('sources', 'Source of the session.', 'Google'),
  utm_source: ofSession('sources', 'Tag `utm_source`.', 'newsletter'),
  utm_medium: ofSession('sources', 'Tag `utm_medium`.', 'email'),
  utm_campaign: ofSession('sources', 'Tag `utm_campaign`.', 'spring'),
  utm_content: ofSession('sources', 'Tag `utm_content`.', 'footer'),
  utm_term: ofSession('sources', 'Tag `utm_term`.', 'analytics'),
  browser: ofSession('devices', 'Browser of the session.', 'Firefox'),
  browser_version: ofSessionRow('devices', 'Version of the browser.', '128.0'),
  os: ofSession('devices', 'Operating system of the session.', 'Linux'),
  os_version: ofSessionRow('devices', 'Version of the operating system.', '14.5'),
  size: ofSession('devices', '`desktop`, `mobile` or `tablet`.', 'mobile'),
  screen: ofSessionRow('devices', 'Width and height of the screen in pixels.', '1920x1080'),
  language: ofSessionRow('devices', 'Language of the browser, as sent.', 'de-AT'),
  country: ofSession('locations', 'ISO 3166-1 alpha-2.', 'DE', 'AT'),
  region: ofSession('locations', 'ISO 3166-2.', 'DE-BE'),
  city: ofSession('locations', 'City.', 'Berlin'),
} satisfies Record<string, DimensionEntry>

/**
 * Weekday and local clock hour, for breakdowns only: `1-00` is Monday from midnight to one. Hits count by their time, sessions by
 * their start, payments by theirs.
 */
export const HOUR_OF_WEEK = 'hour_of_week'
