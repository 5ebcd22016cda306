import type { Section } from '../../../api/types.ts'

/** Sections of a share in the order of the form. Those of `private` are never part of a public site. */
export const SECTION_KINDS = {
  traffic: 'usual',
  sources: 'usual',
  pages: 'usual',
  locations: 'usual',
  devices: 'usual',
  goals: 'usual',
  events: 'usual',
  errors: 'usual',
  revenue: 'private',
  people: 'private',
  stacks: 'private',
} as const satisfies Record<Section, 'usual' | 'private'>

export const SECTIONS = Object.keys(SECTION_KINDS) as Section[]
export const USUAL_SECTIONS = SECTIONS.filter(section => SECTION_KINDS[section] === 'usual')
