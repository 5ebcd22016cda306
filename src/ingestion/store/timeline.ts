import type { EnrichedHit } from '../hit.ts'
import { type Dimensions, dimensionsOf } from './dimensions.ts'

const MINUTE = 60_000
/** A session ends after more than this time without a hit (contract §6). */
const SESSION_GAP_MS = 30 * MINUTE
/** A hit that is further from a session's opening hit than this does not join the session. */
export const SESSION_SPAN_MS = 24 * 60 * MINUTE

/** A session of a visitor. Times are Unix milliseconds. `startedAt` is the time of the opening hit and never changes. */
export interface Session {
  /** 0 until a new session gets its number. */
  sessionNo: number
  startedAt: number
  firstAt: number
  lastAt: number
  /** Stored value of `lastAt`; the time of the opening hit for a session that is not stored yet. */
  storedLastAt: number
  pageviews: number
  events: number
  /** Identifier of the identified user; empty when anonymous. */
  userId: string
  /** Time of the newest identify that named the user. */
  userSince: number | undefined
  /** Position among the visitor's sessions by start, from 1; 0 if a later step must count all of them. */
  visitCount: number
  /** Dimensions of the opening hit; all hits of the session get them. */
  dimensions: Dimensions
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
  firstSeenAt: number
  sessionCount: number
  /** Start of the newest session; undefined without one. */
  newestSessionAt: number | undefined
  /** Start of the earliest new session before an existing one: sessions from there on have a wrong `visitCount`. */
  lateSessionAt: number | undefined
  /** Sessions near the batch's hits, sorted by `firstAt`; their extents never overlap. */
  sessions: Session[]
  pending: PendingIdentity | undefined
  isNew: boolean
  isChanged: boolean
}

/** Pageview that engagement can belong to. */
export interface Pageview {
  id: string
  at: number
  title: string
}

/** Batch context: stored state that the session rules read. They update it with each hit of the batch. */
export interface World {
  visitors: Map<string, Visitor>
  /** Pageviews by `pageKey`, unordered. */
  pageviews: Map<string, Pageview[]>
}

export interface Placed {
  hit: EnrichedHit
  visitor: Visitor
  /** Undefined for an identify without an active session. */
  session: Session | undefined
  /** For engagement: its pageview. */
  page?: Pageview
}

export const visitorKey = (siteNo: number, id: string) => `${siteNo}/${id}`
/** Key of the pageviews of one path in one session; visitor and start identify the session. */
export const pageKey = (visitor: { siteNo: number; id: string }, startedAt: number, path: string) =>
  `${visitor.siteNo}/${visitor.id}/${startedAt}/${path}`

/**
 * Returns the session that a pageview or event at `at` joins: the session whose extent contains `at`, else the nearer of
 * the two neighbours. A neighbour must be within 30 minutes and must have room. The earlier session wins a tie.
 */
export function findJoinable(visitor: Visitor, at: number): Session | undefined {
  const left = sessionBegunBefore(visitor, at)
  if (left && at <= left.lastAt) return left
  const right = visitor.sessions[left ? visitor.sessions.indexOf(left) + 1 : 0]
  const leftGap = left && hasRoom(left, at) ? at - left.lastAt : Number.POSITIVE_INFINITY
  const rightGap = right && hasRoom(right, at) ? right.firstAt - at : Number.POSITIVE_INFINITY
  if (Math.min(leftGap, rightGap) > SESSION_GAP_MS) return undefined
  return leftGap <= rightGap ? left : right
}

const hasRoom = (session: Session, at: number) => Math.abs(at - session.startedAt) <= SESSION_SPAN_MS

/** Returns the newest session whose extent begins at or before `at`. */
export function sessionBegunBefore(visitor: Visitor, at: number): Session | undefined {
  return visitor.sessions.findLast(session => session.firstAt <= at)
}

/** Returns the session that is active at `at`. */
export function activeSession(visitor: Visitor, at: number): Session | undefined {
  const session = sessionBegunBefore(visitor, at)
  if (!session || at - session.lastAt > SESSION_GAP_MS || at - session.startedAt > SESSION_SPAN_MS)
    return undefined
  return session
}

/** Extends the session's extent to contain `at`. */
export function join(session: Session, at: number): Session {
  session.firstAt = Math.min(session.firstAt, at)
  session.lastAt = Math.max(session.lastAt, at)
  session.isChanged = true
  return session
}

/** Opens a new session of the visitor with this hit. */
export function open(visitor: Visitor, hit: EnrichedHit): Session {
  const session: Session = {
    sessionNo: 0,
    startedAt: hit.at,
    firstAt: hit.at,
    lastAt: hit.at,
    storedLastAt: hit.at,
    pageviews: 0,
    events: 0,
    userId: '',
    userSince: undefined,
    visitCount: countVisit(visitor, hit.at),
    dimensions: dimensionsOf(hit),
    isNew: true,
    isChanged: true,
  }
  const after = visitor.sessions.findIndex(other => other.firstAt > hit.at)
  visitor.sessions.splice(after === -1 ? visitor.sessions.length : after, 0, session)
  visitor.isChanged = true
  return session
}

function countVisit(visitor: Visitor, startedAt: number): number {
  visitor.sessionCount += 1
  if (visitor.newestSessionAt !== undefined && startedAt < visitor.newestSessionAt) {
    visitor.lateSessionAt = Math.min(visitor.lateSessionAt ?? startedAt, startedAt)
    return 0
  }
  visitor.newestSessionAt = startedAt
  return visitor.sessionCount
}

/** Returns the known visitors of a hit: first under today's id, then under yesterday's. */
export function candidates(world: World, hit: EnrichedHit): Visitor[] {
  const own = world.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(world, hit)
  return [own, previous].filter(visitor => visitor !== undefined)
}

/** Returns the visitor under the previous day's id, if known. */
export function previousVisitor(world: World, hit: EnrichedHit): Visitor | undefined {
  return hit.previousVisitorId === undefined
    ? undefined
    : world.visitors.get(visitorKey(hit.siteNo, hit.previousVisitorId))
}

/** Adds a new visitor to the batch context. */
export function addVisitor(world: World, hit: EnrichedHit): Visitor {
  const visitor: Visitor = {
    visitorNo: 0,
    siteNo: hit.siteNo,
    id: hit.visitorId,
    firstSeenAt: hit.at,
    sessionCount: 0,
    newestSessionAt: undefined,
    lateSessionAt: undefined,
    sessions: [],
    pending: undefined,
    isNew: true,
    isChanged: true,
  }
  world.visitors.set(visitorKey(visitor.siteNo, visitor.id), visitor)
  return visitor
}
