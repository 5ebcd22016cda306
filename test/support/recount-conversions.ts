import { compares, type Operator } from './recount-values.ts'
import type { CountedHit, World } from './recount-world.ts'

/** A goal as the API gives it, as far as it decides what converts. */
export interface RecountGoal {
  id: string
  display_name: string
  type: 'page' | 'event' | 'scroll' | 'outbound' | 'download' | 'button' | 'form' | 'copy'
  match_value: string | null
  match_operator: Operator
  scroll_threshold: number
  currency: string | null
  custom_props: Record<string, string>
}

/** The hits that convert, each once, in whatever range; a scroll goal's are the pageviews that were scrolled. */
export function conversionsOf(world: World, goal: RecountGoal): CountedHit[] {
  return world.hits.filter(hit => converts(hit, goal))
}

function converts(hit: CountedHit, goal: RecountGoal): boolean {
  switch (goal.type) {
    case 'page':
      return hit.type === 'pageview' && isWanted(hit.values.path, goal)
    case 'scroll':
      return converts(hit, { ...goal, type: 'page' }) && deepestScroll(hit) >= goal.scroll_threshold
    case 'event':
      return hit.type === 'event' && isWanted(hit.values.event_name, goal) && hasProps(hit, goal.custom_props)
    default:
      return hit.type === goal.type && isWanted(hit.props.selector ?? '', goal)
  }
}

/** Without a value everything of the goal's kind is. */
function isWanted(value: string, { match_operator, match_value }: RecountGoal): boolean {
  return match_value === null || compares(match_operator, value, match_value)
}

function hasProps({ props }: CountedHit, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(props, key) && props[key] === value)
}

/** Percent, however late it was reached; 0 without engagement. */
function deepestScroll(pageview: CountedHit): number {
  const engagements = pageview.visit.engagements.filter(engagement => engagement.pageview === pageview)
  return Math.max(0, ...engagements.map(({ scroll }) => scroll))
}
