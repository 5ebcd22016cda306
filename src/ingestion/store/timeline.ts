import type { EnrichedHit } from '../hit.ts'
import { type Dimensions, dimensionsOf } from './dimensions.ts'

const MINUTE = 60_000
/** A longer silence than this ends a session (contract §6). */
const SESSION_GAP_MS = 30 * MINUTE
/** A hit further than this from the session's opening hit does not join it. */
export const SESSION_SPAN_MS = 24 * 60 * MINUTE

/** A session of a visitor. Times are Unix milliseconds. `startedAt` is the opening hit's and never changes. */
export interface Session {
  /** 0 until a number is drawn for a new one. */
  sessionNo: number
  startedAt: number
  firstAt: number
  lastAt: number
  /** `lastAt` as it is stored; the opening hit's time while it is not. */
  storedLastAt: number
  pageviews: number
  events: number
  /** Identifier of the identified user; empty when anonymous. */
  userId: string
  /** Time of the newest identify that said so. */
  userSince: number | undefined
  /** Which session of the visitor this is, by start, from 1; 0 when that needs a look at all of them. */
  visitCount: number
  /** What the opening hit gave the session, and the session gives to all its hits. */
  dimensions: Dimensions
  isNew: boolean
  isChanged: boolean
}

/** An identity that waits for the visitor's next hit. */
export interface PendingIdentity {
  identifier: string
  since: number
  /** It must open a session of its own, because the running one belongs to somebody else. */
  splits: boolean
}

export interface Visitor {
  /** 0 until a number is drawn for a new one. */
  visitorNo: number
  siteNo: number
  id: string
  firstSeenAt: number
  sessionCount: number
  /** Start of the newest session; undefined without one. */
  newestSessionAt: number | undefined
  /** Start of the earliest session that was opened before one that is there already: from it on `visitCount` is off. */
  lateSessionAt: number | undefined
  /** By `firstAt`; extents never overlap. Only those near the batch's hits. */
  sessions: Session[]
  pending: PendingIdentity | undefined
  isNew: boolean
  isChanged: boolean
}

/** A pageview that engagement can belong to. */
export interface Pageview {
  id: string
  at: number
  title: string
}

/** What the pure rules know of the world before a batch; they change it as hits are taken. */
export interface World {
  visitors: Map<string, Visitor>
  /** By `pageKey`, in any order. */
  pageviews: Map<string, Pageview[]>
}

export interface Placed {
  hit: EnrichedHit
  visitor: Visitor
  /** Absent for an identify that found no session. */
  session: Session | undefined
  /** Engagement: the pageview it belongs to. */
  page?: Pageview
}

export const visitorKey = (siteNo: number, id: string) => `${siteNo}/${id}`
/** Pageviews of one path in one session, which is known by its visitor and start. */
export const pageKey = (visitor: { siteNo: number; id: string }, startedAt: number, path: string) =>
  `${visitor.siteNo}/${visitor.id}/${startedAt}/${path}`

/**
 * The session a pageview or event at `at` joins: the one whose extent holds it, else the nearer of its two
 * neighbours that lies within 30 minutes and has room; the earlier on a tie.
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

/** The newest session whose extent began at or before `at`. */
export function sessionBegunBefore(visitor: Visitor, at: number): Session | undefined {
  return visitor.sessions.findLast(session => session.firstAt <= at)
}

/** The session that is still going on at `at`. */
export function activeSession(visitor: Visitor, at: number): Session | undefined {
  const session = sessionBegunBefore(visitor, at)
  if (!session || at - session.lastAt > SESSION_GAP_MS || at - session.startedAt > SESSION_SPAN_MS)
    return undefined
  return session
}

/** Makes the session's extent hold `at`. */
export function join(session: Session, at: number): Session {
  session.firstAt = Math.min(session.firstAt, at)
  session.lastAt = Math.max(session.lastAt, at)
  session.isChanged = true
  return session
}

/** Opens a session of the visitor with this hit. */
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

/** The visitor as today's salt knows it, then as yesterday's does; those that are known. */
export function candidates(world: World, hit: EnrichedHit): Visitor[] {
  const own = world.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(world, hit)
  return [own, previous].filter(visitor => visitor !== undefined)
}

/** The visitor under the hash of the day before, when it is known. */
export function previousVisitor(world: World, hit: EnrichedHit): Visitor | undefined {
  return hit.previousVisitorId === undefined
    ? undefined
    : world.visitors.get(visitorKey(hit.siteNo, hit.previousVisitorId))
}

/** Takes a visitor up that nobody has seen. */
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
