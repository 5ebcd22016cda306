/** Parts of what a site shows, which a share grants one by one. What each of them has is listed in docs/api.md "Sharing". */
export const SECTIONS = [
  'traffic',
  'sources',
  'pages',
  'locations',
  'devices',
  'goals',
  'events',
  'errors',
  'revenue',
  'people',
  'stacks',
] as const
export type Section = (typeof SECTIONS)[number]

const PRIVATE: readonly Section[] = ['revenue', 'people', 'stacks']

/** Sections of a public site: no money, no people, no stack traces. */
export const PUBLIC_SECTIONS: readonly Section[] = SECTIONS.filter(section => !PRIVATE.includes(section))
