import { type Dimensions, dimensionsOf } from './dimensions.ts'
import type { EnrichedHit } from './hit.ts'

const MINUTE = 60_000
/** A longer silence than this ends a session (contract §6). */
const SESSION_GAP_MS = 30 * MINUTE
/** A hit further than this from the session's opening hit does not join it. */
export const SESSION_SPAN_MS = 24 * 60 * MINUTE
/** How long an identity waits for a visitor's next hit. */
const IDENTITY_WAIT_MS = 30 * MINUTE

/** A session of a visitor. Times are Unix milliseconds. `startedAt` is the opening hit's and never changes. */
export interface Session {
  /** 0 until a number is drawn for a new one. */
  sessionNo: number
  startedAt: number
  firstAt: number
  lastAt: number
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
  /** Id of the opening hit. */
  id: string
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
  /** A session was opened before one that is there already: `visitCount` of those is off by it. */
  needsRecount: boolean
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
 * Takes a hit into the world by the session rules of contract §6 and §7. Hits must come in (time, id) order
 * within a batch; one that is earlier than what is already there follows the rule for late hits.
 * @returns where it belongs, or undefined for engagement without its pageview, which is not recorded
 */
export function place(world: World, hit: EnrichedHit): Placed | undefined {
  if (hit.type === 'engagement') return placeEngagement(world, hit)
  if (hit.type === 'identify') return placeIdentify(world, hit)
  return placeHit(world, hit)
}

function placeHit(world: World, hit: EnrichedHit): Placed {
  const own = world.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(world, hit)
  // Over midnight a running session goes on under the id that the day before gave.
  const isContinued =
    previous !== undefined && !(own && findJoinable(own, hit.at)) && findJoinable(previous, hit.at)
  const visitor = isContinued ? previous : (own ?? addVisitor(world, hit))
  if (!isContinued && !visitor.pending && previous?.pending && !previous.pending.splits) {
    visitor.pending = previous.pending
    previous.pending = undefined
    previous.isChanged = true
  }

  const joinable = findJoinable(visitor, hit.at)
  const pending = duePending(visitor, hit.at, joinable)
  const isForeign =
    pending !== undefined && joinable !== undefined && !acceptsUser(joinable, pending.identifier)
  // A hit inside a session must not cut it: the identity goes on waiting.
  const isInside = joinable !== undefined && joinable.firstAt <= hit.at && hit.at <= joinable.lastAt
  const takesPending = pending !== undefined && !(isForeign && isInside)
  const session = joinable && !(isForeign && takesPending) ? join(joinable, hit.at) : open(visitor, hit)
  if (takesPending) {
    setUser(session, pending.identifier, pending.since)
    visitor.pending = undefined
    visitor.isChanged = true
  }
  if (hit.type === 'pageview') {
    session.pageviews += 1
    const key = pageKey(visitor, session.startedAt, hit.path)
    const pageview = { id: hit.id, at: hit.at, title: hit.title ?? '' }
    const known = world.pageviews.get(key)
    if (known) known.push(pageview)
    else world.pageviews.set(key, [pageview])
  } else {
    session.events += 1
  }
  return { hit, visitor, session }
}

function placeEngagement(world: World, hit: EnrichedHit): Placed | undefined {
  for (const visitor of candidates(world, hit)) {
    const session = sessionBegunBefore(visitor, hit.at)
    if (!session || hit.at - session.startedAt >= SESSION_SPAN_MS) continue
    const page = newest(world.pageviews.get(pageKey(visitor, session.startedAt, hit.path)), hit.at)
    return page && { hit, visitor, session: join(session, hit.at), page }
  }
  return undefined
}

function placeIdentify(world: World, hit: EnrichedHit): Placed {
  const identifier = hit.identity!.identifier
  const known = candidates(world, hit)
  const visitor =
    known.find(candidate => activeSession(candidate, hit.at)) ?? known[0] ?? addVisitor(world, hit)
  const session = activeSession(visitor, hit.at)
  const placed = { hit, visitor, session }
  if (session?.userSince !== undefined && session.userSince > hit.at) return placed
  if (session && acceptsUser(session, identifier)) {
    setUser(session, identifier, hit.at)
    setPending(visitor, undefined, hit.at)
    return placed
  }
  // When it comes late, the hit it should have waited for is already there.
  const next = visitor.sessions.find(other => other.firstAt > hit.at)
  if (next && next.firstAt - hit.at <= IDENTITY_WAIT_MS) {
    if (next.userId === '') setUser(next, identifier, hit.at)
    return placed
  }
  setPending(visitor, { identifier, since: hit.at, splits: session !== undefined }, hit.at)
  return placed
}

/**
 * The session a pageview or event at `at` joins: the one whose extent holds it, else the nearer of its two
 * neighbours that lies within 30 minutes and has room; the earlier on a tie.
 */
function findJoinable(visitor: Visitor, at: number): Session | undefined {
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
function sessionBegunBefore(visitor: Visitor, at: number): Session | undefined {
  return visitor.sessions.findLast(session => session.firstAt <= at)
}

function activeSession(visitor: Visitor, at: number): Session | undefined {
  const session = sessionBegunBefore(visitor, at)
  if (!session || at - session.lastAt > SESSION_GAP_MS || at - session.startedAt > SESSION_SPAN_MS)
    return undefined
  return session
}

function join(session: Session, at: number): Session {
  session.firstAt = Math.min(session.firstAt, at)
  session.lastAt = Math.max(session.lastAt, at)
  session.isChanged = true
  return session
}

function open(visitor: Visitor, hit: EnrichedHit): Session {
  const session: Session = {
    sessionNo: 0,
    startedAt: hit.at,
    firstAt: hit.at,
    lastAt: hit.at,
    pageviews: 0,
    events: 0,
    userId: '',
    userSince: undefined,
    visitCount: countVisit(visitor, hit.at),
    dimensions: dimensionsOf(hit),
    id: hit.id,
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
    visitor.needsRecount = true
    return 0
  }
  visitor.newestSessionAt = startedAt
  return visitor.sessionCount
}

/**
 * The waiting identity that applies to a hit at `at`: for 30 minutes, and one that ends a session for as long as
 * that session could go on. One that waits in vain stays until it is replaced: the hit it waits for may be late.
 */
function duePending(
  visitor: Visitor,
  at: number,
  joinable: Session | undefined,
): PendingIdentity | undefined {
  const pending = visitor.pending
  if (!pending || at < pending.since) return undefined
  if (at - pending.since <= IDENTITY_WAIT_MS) return pending
  const goesOn = joinable !== undefined && joinable === sessionBegunBefore(visitor, pending.since)
  return pending.splits && goesOn ? pending : undefined
}

function setUser(session: Session, identifier: string, since: number): void {
  session.userId = identifier
  session.userSince = Math.max(session.userSince ?? since, since)
  session.isChanged = true
}

const acceptsUser = (session: Session, identifier: string) =>
  session.userId === '' || session.userId === identifier

function setPending(visitor: Visitor, pending: PendingIdentity | undefined, at: number): void {
  if (visitor.pending && visitor.pending.since > at) return
  if (!visitor.pending && !pending) return
  visitor.pending = pending
  visitor.isChanged = true
}

/** The visitor as today's salt knows it, then as yesterday's does; those that are known. */
function candidates(world: World, hit: EnrichedHit): Visitor[] {
  const own = world.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(world, hit)
  return [own, previous].filter(visitor => visitor !== undefined)
}

function previousVisitor(world: World, hit: EnrichedHit): Visitor | undefined {
  return hit.previousVisitorId === undefined
    ? undefined
    : world.visitors.get(visitorKey(hit.siteNo, hit.previousVisitorId))
}

function addVisitor(world: World, hit: EnrichedHit): Visitor {
  const visitor: Visitor = {
    visitorNo: 0,
    siteNo: hit.siteNo,
    id: hit.visitorId,
    firstSeenAt: hit.at,
    sessionCount: 0,
    newestSessionAt: undefined,
    needsRecount: false,
    sessions: [],
    pending: undefined,
    isNew: true,
    isChanged: true,
  }
  world.visitors.set(visitorKey(visitor.siteNo, visitor.id), visitor)
  return visitor
}

function newest(pageviews: Pageview[] | undefined, notAfter: number): Pageview | undefined {
  let found: Pageview | undefined
  for (const pageview of pageviews ?? []) {
    if (pageview.at <= notAfter && (!found || pageview.at >= found.at)) found = pageview
  }
  return found
}
