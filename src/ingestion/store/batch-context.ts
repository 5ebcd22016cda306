import { DAY_MS } from '../../platform/lib/time.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Dimensions } from './dimensions.ts'

/** A hit that is further from a session's opening hit than this does not join the session. */
export const SESSION_SPAN_MS = DAY_MS

/** The last pageview of a session, by time and id. */
export interface ExitPage {
  path: string
  at: number
  /** Undefined as long as no other pageview has the same time. */
  id: string | undefined
}

/** A session of a visitor. Times are Unix milliseconds. `startedAt` is the time of the opening hit and never changes. */
export interface Session {
  /** 0 until a new session gets its number. */
  sessionNo: number
  startedAt: number
  firstAt: number
  lastAt: number
  /** Stored value of `lastAt`; the time of the opening hit for a session that is not stored yet. */
  storedLastAt: number
  /** What is stored of these; undefined for a session that is not stored yet. */
  stored: { pageviews: number; events: number; durationMs: number } | undefined
  pageviews: number
  events: number
  /** Identifier of the identified user; empty when anonymous. */
  userId: string
  /** Time of the newest identify that named the user. */
  userSince: number | undefined
  /** Position among the visitor's sessions by start, from 1; 0 if a later step must count all of them. */
  visitCount: number
  /** Undefined without a pageview, and for a session whose exit page is not filled in yet. */
  exit: ExitPage | undefined
  /** Dimensions of the opening hit; all hits of the session get them. */
  dimensions: Dimensions
  /** The columns of `dimensions` that hits copy, see `copiedText()`. */
  copiedText: string
  isNew: boolean
  isChanged: boolean
}

/** Identity that applies to the visitor's next hit. */
export interface PendingIdentity {
  identifier: string
  since: number
  /** True if it must open a new session, because the active session belongs to another user. */
  splits: boolean
}

export interface Visitor {
  /** 0 until a new visitor gets its number. */
  visitorNo: number
  siteNo: number
  id: string
  /** Format of the import that made the visitor; null for a live one. */
  importedAs: string | null
  firstSeenAt: number
  sessionCount: number
  /** Whether the visitor had a session before the batch, also one that retention has dropped. */
  hadSessions: boolean
  /** Start of the newest session; undefined without one. */
  newestSessionAt: number | undefined
  /** Start of the earliest new session before an existing one: sessions from there on have a wrong `visitCount`. */
  lateSessionAt: number | undefined
  /** A session before an existing one was restored: whether the numbers fit together is not known. */
  hasRestoredLate?: boolean
  /** Sessions near the batch's hits, sorted by `firstAt`; their extents never overlap. */
  sessions: Session[]
  pending: PendingIdentity | undefined
  isNew: boolean
  isChanged: boolean
}

export interface Pageview {
  id: string
  at: number
  title: string
}

/**
 * Batch context: the stored visitors, sessions and pageviews that the hits of a batch can belong to. The session rules read it
 * and update it with each hit, so that the next hit sees what the hits before it changed.
 */
export interface BatchContext {
  visitors: Map<string, Visitor>
  /** Pageviews by `pageKey`, unordered. */
  pageviews: Map<string, Pageview[]>
}

export const visitorKey = (siteNo: number, id: string) => `${siteNo}/${id}`
/** Key of the pageviews of one path in one session; visitor and start identify the session. */
export const pageKey = (visitor: { siteNo: number; id: string }, startedAt: number, path: string) =>
  `${visitor.siteNo}/${visitor.id}/${startedAt}/${path}`

/** Adds a new visitor to the batch context. */
export function addVisitor(context: BatchContext, hit: EnrichedHit): Visitor {
  const visitor: Visitor = {
    visitorNo: 0,
    siteNo: hit.siteNo,
    id: hit.visitorId,
    importedAs: hit.importedAs ?? null,
    firstSeenAt: hit.at,
    sessionCount: 0,
    hadSessions: false,
    newestSessionAt: undefined,
    lateSessionAt: undefined,
    sessions: [],
    pending: undefined,
    isNew: true,
    isChanged: true,
  }
  context.visitors.set(visitorKey(visitor.siteNo, visitor.id), visitor)
  return visitor
}

/** Adds a pageview under a `pageKey`. */
export function addPageview(context: BatchContext, key: string, pageview: Pageview): void {
  const known = context.pageviews.get(key)
  if (known) known.push(pageview)
  else context.pageviews.set(key, [pageview])
}
