/** Hits as they were sent, for the recounts. */

export interface SentHit {
  id: string
  /** unix ms */
  at: number
  kind: 'pageview' | 'event' | 'engagement' | 'identify'
  /** the UUID the client supplied */
  visitor: string
  path?: string
  title?: string
  name?: string
  scroll?: number
  engagedMs?: number
  identifier?: string
  /** `example.com` when absent */
  hostname?: string
  props?: Record<string, string>
  /** of an event named `error` */
  errorName?: string
  errorMessage?: string
  revenue?: { amountMinor: number; currency: string }
  /** what enrichment makes of this hit; a session has those of the hit that opened it */
  dims?: Partial<Dims>
}

/** What a session has of the hit that opened it, in the order of the registry. */
export const dimNames = [
  ...['referrer', 'channel', 'source', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content'],
  ...['utm_term', 'browser', 'browser_version', 'os', 'os_version', 'size', 'screen', 'language'],
  ...['country', 'region', 'city'],
] as const

/** Empty where unknown. */
export type Dims = Record<(typeof dimNames)[number], string>

const reservedNames = (
  'pageview engagement performance web-vitals payment free_trial trial_started trial_converted ' +
  'subscription_started subscription_renewed subscription_upgraded subscription_downgraded ' +
  'subscription_cancel_scheduled subscription_reactivated subscription_ended'
).split(' ')

/** Names on `/api/event` that are stored with an event type of their own, so that they are no custom events. */
export const namesWithOwnType = ['outbound', 'download', 'button', 'form', 'copy', 'error']

/** The order in which hits that arrive together are taken. */
export function byTimeThenId(a: SentHit, b: SentHit): number {
  if (a.at !== b.at) return a.at - b.at
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

export function isReserved(hit: SentHit): boolean {
  return hit.kind === 'event' && reservedNames.includes(hit.name ?? '')
}

/** Pageviews and events that are recorded, each id once. */
export function countedHits(hits: SentHit[]): SentHit[] {
  const byId = new Map<string, SentHit>()
  for (const hit of hits) {
    if (hit.kind === 'pageview' || (hit.kind === 'event' && !isReserved(hit))) byId.set(hit.id, hit)
  }
  return [...byId.values()]
}
