import type { SessionAttribute } from '../platform/dimensions/dimensions.ts'
import type { EventType } from '../platform/dimensions/event-types.ts'

export type HitType = EventType | 'engagement' | 'identify'

/** Autocaptured types: trackers send them to `/api/event` under these names. */
export const AUTOCAPTURE_TYPES = ['outbound', 'download', 'button', 'form', 'copy'] as const

/**
 * A validated hit without the client address, in the form that the queue holds.
 * Absent optional fields are undefined, so that the JSON in Redis omits them and stays small.
 */
export interface Hit {
  /** Assigned on receipt. `siteNo`, `at` and `id` identify the hit, which makes storing idempotent. */
  id: string
  /** Unix milliseconds, UTC: the time of receipt, or the timestamp of an imported line. */
  at: number
  /** Line number in an imported file: orders hits of the same time. Live hits of the same time are ordered by id. */
  line?: number
  siteNo: number
  siteId: string
  /** `web_vitals` has a table of its own. */
  type: HitType | 'web_vitals'
  /** Visitor UUID: sent by the client, or the hash with the salt of the hit's UTC day. */
  visitorId: string
  /** Hash with the salt of the previous day; absent when the client sent its own id. */
  previousVisitorId?: string
  hostname: string
  /** `url.path` as sent, with query and fragment. Absent on events without a URL and on identify. */
  url?: string
  title?: string
  /** Name of the custom event or the autocaptured type; absent for pageviews. */
  name?: string
  /** Custom properties, scalar values as strings. */
  props?: Record<string, string> | undefined
  /** Referrer URL as sent. */
  referrer?: string
  userAgent?: string
  screenWidth?: number
  screenHeight?: number
  language?: string
  /** Client-supplied values; they override the user agent. */
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
  /** Reported, not verified: minor units as a decimal integer string, and an upper-case currency code (ISO 4217). */
  revenue?: { amountMinor: string; currency: string }
  error?: {
    name?: string
    message?: string
    stack?: string
    fileName?: string
    lineNumber?: string
    columnNumber?: string
  }
  /** Error fingerprint: UUIDv5 of site id and exact message; only on errors. */
  errorId?: string | undefined
  /** Engagement: deepest scroll 0–100 and engaged milliseconds since the last ping. */
  scroll?: number
  engagedMs?: number
  identity?: { identifier: string; name?: string; avatar?: string; custom?: Record<string, string> }
  vitals?: VitalsReport
}

/** How fast a page was. Times in whole milliseconds, `cls` in ten-thousandths; what was not measured is absent. */
export interface VitalsReport {
  /** A later report of the same id replaces this one. */
  id: string
  lcp?: number
  inp?: number
  cls?: number
  fcp?: number
  ttfb?: number
  lcpTarget?: string | undefined
  inpTarget?: string | undefined
  clsTarget?: string | undefined
  lcpPhase?: string | undefined
  inpPhase?: string | undefined
  fcpPhase?: string | undefined
  ttfbPhase?: string | undefined
}

/**
 * Every field of a hit, also the absent ones. Code that builds a hit field by field uses this type, so that the compiler
 * demands a new field there.
 */
export type AllFields<Fields extends Hit> = { [Field in keyof Required<Fields>]: Fields[Field] }

/** Must not change: the hits that wait in Redis carry partitions computed with this number. */
export const PARTITIONS = 4

/** A job of the queue: the hits of one group commit, by partition. */
export interface HitBatch {
  parts: { partition: number; hits: Hit[] }[]
  /** True for orphan engagement and web vitals that have already waited once for their pageview. */
  isSecondTry?: boolean
}

/** What an exported line carries of its session. Counters and the end of the session follow from its hits. */
export interface RestoredSession {
  /** Unix milliseconds; the visitor and this time identify the session. */
  startedAt: number
  visitCount: number | undefined
  /** Empty when anonymous. */
  userId: string
  userSince: number | undefined
  dimensions: Record<SessionAttribute, string>
}

/** What an exported line carries beside what was sent: the hit is restored by it, and nothing is derived again. */
export interface RestoredHit {
  /** Undefined for an identify that belongs to no session. */
  session: RestoredSession | undefined
  /** Of engagement and web vitals: the time of their pageview. */
  pageAt: number | undefined
  /** Of the visitor. */
  firstSeenAt: number | undefined
  /** Of an identify: it still waits for the visitor's next hit. */
  pending: { identifier: string; splits: boolean } | undefined
  /** Of an error: the name of its group. */
  errorGroup: string | undefined
}

/**
 * A hit after all stages: all stored fields except those of its session.
 * Unknown strings are empty. The attribution is that of this hit alone; the session uses the attribution of its
 * opening hit.
 */
export interface EnrichedHit extends Hit {
  /** Path without query and fragment; begins with `/`; empty when the hit has no URL. */
  path: string
  /** Host and path of the referrer without scheme and query, with `www.` as sent; empty for the site's own host or none. */
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
  /** Format of another product that the hit was converted from; its visitor is marked with it. */
  importedAs?: string | undefined
  size: 'desktop' | 'mobile' | 'tablet'
  /** Orphan engagement of an import that is tried again: after all other hits of its time. */
  comesLast?: boolean | undefined
  /** Only on imported hits that an export has written. */
  restored?: RestoredHit | undefined
}

/**
 * A step of enrichment: sets fields of a hit that only `enrich` holds, from other fields of the same hit alone.
 * Mutates the hit in place: a copy at every stage was the largest cost of storing.
 */
export type Stage = (hit: EnrichedHit) => void
