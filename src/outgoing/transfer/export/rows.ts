import type { HitType } from '../../../ingestion/hit.ts'
import type { SessionAttribute } from '../../../platform/dimensions/dimensions.ts'

/** A session as its hits are exported with it. */
export interface ExportedSession extends Record<SessionAttribute | 'exitPath', string> {
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  pageviews: number
  events: number
  visitCount: number
  userId: string
  userSince: Date | null
  visitorId: string
  firstSeenAt: Date
}

/** A stored hit. Texts are empty where there is none. */
export interface HitRow {
  id: string
  at: Date
  type: HitType
  name: string
  /** Null for an identify without a session. */
  sessionNo: number | null
  sessionAt: Date | null
  hostname: string
  path: string
  url: string
  title: string
  /** JSON. */
  props: string | null
  scroll: number | null
  engagedMs: number | null
  /** Of engagement: the time of its pageview. */
  pageAt: Date | null
  revenueMinor: number | null
  revenueCurrency: string | null
  errorId: string | null
  errorMessage: string | null
  errorStack: string | null
  errorFile: string | null
  errorLine: string | null
  errorColumn: string | null
  /** Only of a hit without a session. */
  visitorId: string | null
  firstSeenAt: Date | null
  errorGroup: string | null
  /** Of an identify that still waits for the visitor's next hit: JSON. */
  pending: string | null
}

/** A stored report of web vitals. */
export interface VitalsRow {
  id: string
  /** Time of its pageview. */
  at: Date
  receivedAt: Date
  receivedId: string
  sessionNo: number
  sessionAt: Date
  hostname: string
  path: string
  lcp: number | null
  inp: number | null
  cls: number | null
  fcp: number | null
  ttfb: number | null
  lcpTarget: string
  inpTarget: string
  clsTarget: string
  lcpPhase: string
  inpPhase: string
  fcpPhase: string
  ttfbPhase: string
}

/** A hit with the session that it belongs to. */
export interface ExportedHit extends Omit<HitRow, 'visitorId' | 'firstSeenAt'> {
  visitorId: string
  firstSeenAt: Date
  session: ExportedSession | undefined
}

export interface ExportedVitals extends VitalsRow {
  session: ExportedSession
}

/** What one read returns: rows of a short time. */
export interface ExportedPage {
  hits: ExportedHit[]
  vitals: ExportedVitals[]
}
