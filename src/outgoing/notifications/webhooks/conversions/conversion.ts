import { createHash } from 'node:crypto'
import type { GoalRecord } from '../../../../stats/goals/goal-schema.ts'
import type { CandidateHit } from './conversion-rows.ts'

/** A goal and the hit that reached it. It refers to the hit: many goals may have the same. */
export interface Conversion {
  goal: GoalRecord
  hit: CandidateHit
}

/** When a hit converts: engagement at the time of its pageview, as in the goal report. */
export const timeOf = (hit: CandidateHit): Date =>
  hit.type === 'engagement' && hit.pageAt ? hit.pageAt : hit.at

/** Returns the same text for the same conversion: a scroll goal is reached again with each further engagement. */
export function keyOf({ goal, hit }: Conversion): string {
  if (hit.type !== 'engagement' || !hit.pageAt) return `${goal.id}/${hit.id}`
  const page = createHash('sha256').update(hit.path).digest('base64url')
  return `${goal.id}/${hit.sessionNo}/${hit.pageAt.getTime()}/${page}`
}

/** JSON of an event: what differs between the conversions of a hit. */
export const dataOfGoal = ({ id, displayName, type }: GoalRecord): string =>
  JSON.stringify({ goal: { id, display_name: displayName, type } })

/** JSON of what all conversions of a hit have in common. */
export const dataOfHit = (hit: CandidateHit): string =>
  JSON.stringify({
    timestamp: timeOf(hit).toISOString(),
    event_name: hit.type === 'pageview' || hit.type === 'engagement' ? null : hit.name || hit.type,
    hostname: hit.hostname,
    path: hit.path,
    properties: hit.props ?? {},
    revenue:
      hit.revenueMinor === null || hit.revenueCurrency === null
        ? null
        : { amount: hit.revenueMinor, currency: hit.revenueCurrency },
    visitor_id: hit.visitorId,
    source: hit.source,
    channel: hit.channel,
    country: hit.country || null,
  })
