import type { Section } from '../../api/types.ts'
import type { Dictionary } from '../../text/languages/en.ts'

/** A dimension that a card lists, or the map of countries. */
export type Tab = Exclude<keyof Dictionary['overview']['cards'], 'goals' | 'prop_key'>

export interface CardSpec {
  name: 'sources' | 'pages' | 'locations' | 'devices'
  section: Section
  tabs: readonly Tab[]
}

export const CARDS: readonly CardSpec[] = [
  { name: 'sources', section: 'sources', tabs: ['channel', 'source', 'referrer', 'utm_campaign'] },
  { name: 'pages', section: 'pages', tabs: ['path', 'title', 'entry_path', 'exit_path'] },
  { name: 'locations', section: 'locations', tabs: ['country', 'region', 'city', 'map'] },
  { name: 'devices', section: 'devices', tabs: ['size', 'browser', 'os', 'screen'] },
]
