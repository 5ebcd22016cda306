import type { SiteRecord } from '../../src/access/sites/site-schema.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { formatDay, localDay } from '../../src/platform/time/local-time.ts'
import { createAnnotation } from '../../src/stats/annotations/annotations.ts'
import { saveGoal } from '../../src/stats/goals/change-goal.ts'
import { GoalBody } from '../../src/stats/goals/goal-schema.ts'
import { saveFunnel } from '../../src/stats/saved-funnels/change-funnel.ts'
import { FunnelBody } from '../../src/stats/saved-funnels/funnel-schema.ts'
import { createSegment } from '../../src/stats/segments/segments.ts'
import type { Calendar } from './rhythm.ts'
import type { SiteServices } from './site.ts'

const GOALS = [
  { match_type: 'event', match_value: 'signup', display_name: 'Signup' },
  { match_type: 'event', match_value: 'trial_start', display_name: 'Trial started' },
  { match_type: 'page', match_value: '/pricing', display_name: 'Looked at the prices' },
  {
    match_type: 'scroll',
    match_value: '/docs/**',
    scroll_threshold: 75,
    display_name: 'Read the documentation',
  },
  { match_type: 'form', match_value: '#newsletter', display_name: 'Newsletter' },
  { match_type: 'download', display_name: 'Download' },
]

const FUNNEL = {
  name: 'From the home page to the account',
  steps: [
    { type: 'pageview', value: '/', name: 'Home page' },
    { type: 'pageview', value: '/pricing', name: 'Prices' },
    { type: 'pageview', value: '/signup', name: 'Form' },
    { type: 'event', value: 'signup', name: 'Account' },
  ],
  window: 7 * 86_400,
}

/** No pattern of these definitions is a regular expression, so no thread has to check one. */
const NO_PATTERNS = { patterns: undefined as never }

/** Makes the goals, a funnel, a segment and two annotations. */
export async function define(
  services: SiteServices,
  userId: string,
  site: SiteRecord,
  { launch, days }: Calendar,
): Promise<void> {
  const parts = { ...services, ...NO_PATTERNS }
  for (const goal of GOALS) await saveGoal(parts, site, GoalBody.parse(goal))
  await saveFunnel(parts, site, FunnelBody.parse(FUNNEL))
  await createSegment(parts, { userId }, site, {
    name: 'Readers of the documentation',
    filters: { path: { starts_with: '/docs' } },
    visibility: 'site',
  })
  const dayOf = (at: number) => formatDay(localDay(site.timezone, at))
  const annotate = (text: string, at: number) =>
    createAnnotation(services, { userId }, site, { text, starts_at: dayOf(at) })
  // Noon is the same day in nearly all zones.
  await annotate('v2.4 released, on Hacker News', launch + DAY_MS / 2)
  await annotate('New prices', days[Math.floor(days.length / 4)]! + DAY_MS / 2)
}
