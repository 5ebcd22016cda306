/** What kind of row a hit becomes. `engagement` and `identify` are hidden from every log and count. */
export const EVENT_TYPES = [
  'pageview',
  'event',
  'outbound',
  'download',
  'button',
  'form',
  'copy',
  'error',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
export type HitType = EventType | 'engagement' | 'identify'

/** Autocaptured kinds: sent to `/api/event` under these names. */
export const AUTOCAPTURE_TYPES = ['outbound', 'download', 'button', 'form', 'copy'] as const

/**
 * A hit as it waits in the queue: validated, its client address already forgotten.
 * Absent optional fields are left out, so that the JSON in Redis stays small.
 */
export interface Hit {
  /** Given at the edge; with `siteNo` and `at` the identity that makes storing idempotent. */
  id: string
  /** Unix milliseconds, UTC: when the edge received it, or the timestamp of an imported line. */
  at: number
  /** Line of an imported file: which of two hits of the same time comes first; of live hits the id says so. */
  line?: number
  /** Of an imported line: the id it has if an earlier release imported it. */
  formerId?: string | undefined
  siteNo: number
  siteId: string
  type: HitType
  /** Visitor UUID: the client's own, or the hash with the salt of the hit's UTC day. */
  visitorId: string
  /** The hash with the salt of the day before; absent when the client sent its own id. */
  previousVisitorId?: string
  hostname: string
  /** `url.path` as sent: with query and fragment. Absent on events without one and on identify. */
  url?: string
  title?: string
  /** Custom event name, autocapture kind; absent for pageviews. */
  name?: string
  /** Custom properties, scalar values as strings. */
  props?: Record<string, string> | undefined
  /** Referrer URL as sent. */
  referrer?: string
  userAgent?: string
  screenWidth?: number
  screenHeight?: number
  language?: string
  /** Client-supplied overrides of what the user agent says. */
  os?: string
  osVersion?: string
  browser?: string
  browserVersion?: string
  device?: 'desktop' | 'mobile' | 'tablet'
  /** ISO 3166-1 alpha-2, upper case. */
  country?: string
  /** ISO 3166-2, e.g. `US-CA`. */
  region?: string
  city?: string
  /** Reported, not verified: minor units as a decimal integer string, and an upper-case currency code. */
  revenue?: { amountMinor: string; currency: string }
  error?: {
    name?: string
    message?: string
    stack?: string
    fileName?: string
    lineNumber?: string
    columnNumber?: string
  }
  /** Error fingerprint, UUIDv5 of site id and exact message; of errors alone. */
  errorId?: string | undefined
  /** Engagement: deepest scroll 0–100 and engaged milliseconds since the last ping. */
  scroll?: number
  engagedMs?: number
  identity?: { identifier: string; name?: string; avatar?: string; custom?: Record<string, string> }
}

/** Fixed: what waits in Redis was spread by it. */
export const PARTITIONS = 4

/** A job of the queue: the hits of one group commit, by partition. */
export interface HitBatch {
  parts: { partition: number; hits: Hit[] }[]
  /** Engagement that has waited for its pageview once. */
  isSecondTry?: boolean
}

/** A job of an earlier release: the number of its queue is the partition. */
export interface EarlierBatch {
  hits: Hit[]
  isSecondTry?: boolean
}

/**
 * A hit after all stages: everything that is stored of it, before it has a session.
 * Strings are empty where nothing is known; attribution is that of this hit alone (the session
 * keeps that of its opening hit).
 */
export interface EnrichedHit extends Hit {
  /** Path without query and fragment; begins with `/`; empty when the hit carried none. */
  path: string
  /** Host and path of the referrer, without scheme, `www.` kept as sent, no query; empty for own host or none. */
  referrerPage: string
  source: string
  channel: string
  utmSource: string
  utmMedium: string
  utmCampaign: string
  utmContent: string
  utmTerm: string
  browserName: string
  browserFullVersion: string
  osName: string
  osFullVersion: string
  size: 'desktop' | 'mobile' | 'tablet'
}

/**
 * A step of enrichment: fills in fields of a hit that is `enrich`'s own, by what else the hit says and nothing besides.
 * Filled in, since a copy a step was the dearest thing that storing did.
 */
export type Stage = (hit: EnrichedHit) => void
