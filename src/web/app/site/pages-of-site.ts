import type { Section } from '../../api/client.ts'
import type { Dictionary } from '../../text/languages/en.ts'

interface SitePage {
  /** Below the address of the site; empty for the overview. */
  path: string
  label: keyof Dictionary['common']['nav']
  /** Section that readers need; `member`: only people of the team. */
  needs: Section | 'member'
  /** Whether it stands in the line of pages, or in the menu behind it. */
  isFirst: boolean
  /** Key that leads there, after `g`. */
  key: string
}

/** Pages of a site in the order of the navigation. */
export const SITE_PAGES: readonly SitePage[] = [
  { path: '', label: 'overview', needs: 'traffic', isFirst: true, key: 'o' },
  { path: 'money', label: 'money', needs: 'revenue', isFirst: true, key: 'm' },
  { path: 'funnels', label: 'funnels', needs: 'goals', isFirst: true, key: 'f' },
  { path: 'people', label: 'people', needs: 'people', isFirst: true, key: 'p' },
  { path: 'events', label: 'events', needs: 'events', isFirst: true, key: 'e' },
  { path: 'errors', label: 'errors', needs: 'errors', isFirst: true, key: 'x' },
  { path: 'live', label: 'live', needs: 'traffic', isFirst: false, key: 'l' },
  { path: 'titles', label: 'titles', needs: 'pages', isFirst: false, key: 't' },
  { path: 'goals', label: 'goals', needs: 'goals', isFirst: false, key: 'z' },
  { path: 'journeys', label: 'journeys', needs: 'pages', isFirst: false, key: 'j' },
  { path: 'retention', label: 'retention', needs: 'traffic', isFirst: false, key: 'r' },
  { path: 'web-vitals', label: 'webVitals', needs: 'pages', isFirst: false, key: 'w' },
  { path: 'settings', label: 'settings', needs: 'member', isFirst: false, key: 's' },
]
