import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { EnrichedHit } from '../hit.ts'
import {
  addPageview,
  addVisitor,
  type BatchContext,
  type Pageview,
  type PendingIdentity,
  pageKey,
  SESSION_SPAN_MS,
  type Session,
  type Visitor,
  visitorKey,
} from './batch-context.ts'
import { copiedText, type Dimensions, dimensionsOf } from './dimensions.ts'

/** A session ends after more than this time without a hit (docs/metrics.md "Session"). */
const SESSION_GAP_MS = 30 * MINUTE_MS
/** Time that an identity waits for a visitor's next hit. */
const IDENTITY_WAIT_MS = 30 * MINUTE_MS

export interface SessionizedHit {
  hit: EnrichedHit
  visitor: Visitor
  /** Undefined for an identify without an active session. */
  session: Session | undefined
  /** For engagement: its pageview. */
  page?: Pageview
}

/**
 * Assigns a hit to a session by the session rules (docs/metrics.md "Session"), and updates the batch context. The hits of a batch
 * must be sorted by time and id; a hit that is earlier than stored hits follows the rule for late hits.
 * @returns the hit with its visitor and session, or undefined for orphan engagement, which is not recorded
 */
export function assignToSession(context: BatchContext, hit: EnrichedHit): SessionizedHit | undefined {
  if (hit.type === 'engagement') return assignEngagement(context, hit)
  if (hit.type === 'identify') return assignIdentify(context, hit)
  return assignCountedHit(context, hit)
}

function assignCountedHit(context: BatchContext, hit: EnrichedHit): SessionizedHit {
  const visitor = visitorOf(context, hit)
  visitor.firstSeenAt = Math.min(visitor.firstSeenAt, hit.at)
  const joinable = findJoinable(visitor, hit.at)
  const identity = takeIdentity(visitor, hit.at, joinable)
  const isForeign =
    identity !== undefined && joinable !== undefined && !acceptsUser(joinable, identity.identifier)
  const session =
    joinable && !isForeign ? extend(joinable, hit.at) : openSession(visitor, hit.at, dimensionsOf(hit))
  if (identity) setUser(session, identity.identifier, identity.since)
  if (hit.type === 'pageview') {
    leaveAt(session, hit)
    session.pageviews += 1
    const pageview = { id: hit.id, at: hit.at, title: hit.title ?? '' }
    addPageview(context, pageKey(visitor, session.startedAt, hit.path), pageview)
  } else {
    session.events += 1
  }
  return { hit, visitor, session }
}

/** Returns the visitor of a hit. Over midnight, an active session continues under the previous day's visitor id. */
function visitorOf(context: BatchContext, hit: EnrichedHit): Visitor {
  const own = context.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(context, hit)
  const isRunning = (visitor: Visitor | undefined) =>
    visitor !== undefined && findJoinable(visitor, hit.at) !== undefined
  if (previous && !isRunning(own) && isRunning(previous)) return previous
  const visitor = own ?? addVisitor(context, hit)
  if (previous) inheritIdentity(visitor, previous)
  return visitor
}

function assignEngagement(context: BatchContext, hit: EnrichedHit): SessionizedHit | undefined {
  for (const visitor of candidates(context, hit)) {
    const session = sessionBegunBefore(visitor, hit.at)
    if (!session || hit.at - session.startedAt >= SESSION_SPAN_MS) continue
    const page = newest(context.pageviews.get(pageKey(visitor, session.startedAt, hit.path)), hit.at)
    return page && { hit, visitor, session: extend(session, hit.at), page }
  }
  return undefined
}

/** A report of web vitals with its visitor and its pageview. */
export interface AssignedReport {
  hit: EnrichedHit
  visitor: Visitor
  page: Pageview
  /** Start of the session of the pageview, Unix milliseconds. */
  startedAt: number
}

/**
 * Returns the pageview of a report: the one that engagement of the path would belong to. The batch context does not change: a
 * report makes no session longer.
 * @returns undefined without such a pageview
 */
export function assignReport(context: BatchContext, hit: EnrichedHit): AssignedReport | undefined {
  for (const visitor of candidates(context, hit)) {
    const session = sessionBegunBefore(visitor, hit.at)
    if (!session || hit.at - session.startedAt >= SESSION_SPAN_MS) continue
    const page = newest(context.pageviews.get(pageKey(visitor, session.startedAt, hit.path)), hit.at)
    if (page) return { hit, visitor, page, startedAt: session.startedAt }
  }
  return undefined
}

function newest(pageviews: Pageview[] | undefined, notAfter: number): Pageview | undefined {
  let found: Pageview | undefined
  for (const pageview of pageviews ?? []) {
    if (pageview.at <= notAfter && (!found || isLater(pageview, found))) found = pageview
  }
  return found
}

/** At equal times the higher id is later, so that the result does not depend on the order of arrival. */
const isLater = (a: Pageview, b: Pageview) => a.at > b.at || (a.at === b.at && a.id > b.id)

/** Returns the known visitors of a hit: first under today's id, then under yesterday's. */
function candidates(context: BatchContext, hit: EnrichedHit): Visitor[] {
  const own = context.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(context, hit)
  return [own, previous].filter(visitor => visitor !== undefined)
}

/** Returns the visitor under the previous day's id, if known. */
function previousVisitor(context: BatchContext, hit: EnrichedHit): Visitor | undefined {
  return hit.previousVisitorId === undefined
    ? undefined
    : context.visitors.get(visitorKey(hit.siteNo, hit.previousVisitorId))
}

/**
 * Returns the session that a pageview or event at `at` joins: the session whose extent contains `at`, else the nearer of
 * the two neighbours. A neighbour must be within 30 minutes and must have room. The earlier session wins a tie.
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

/** Returns the newest session whose extent begins at or before `at`. */
function sessionBegunBefore(visitor: Visitor, at: number): Session | undefined {
  return visitor.sessions.findLast(session => session.firstAt <= at)
}

function activeSession(visitor: Visitor, at: number): Session | undefined {
  const session = sessionBegunBefore(visitor, at)
  if (!session || at - session.lastAt > SESSION_GAP_MS || at - session.startedAt > SESSION_SPAN_MS)
    return undefined
  return session
}

export function extend(session: Session, at: number): Session {
  session.firstAt = Math.min(session.firstAt, at)
  session.lastAt = Math.max(session.lastAt, at)
  session.isChanged = true
  return session
}

/** Makes a pageview the exit page of its session if it is the last one. Call it before the pageview is counted. */
export function leaveAt(session: Session, { id, at, path }: EnrichedHit): void {
  const { exit } = session
  const isKnown = exit !== undefined || session.pageviews === 0
  // Of a session whose exit page is not filled in yet, only a pageview after all hits is known to be the last.
  if (!isKnown && at <= session.storedLastAt) return
  if (!exit || at > exit.at || (at === exit.at && exit.id !== undefined && id > exit.id))
    session.exit = { path, at, id }
}

/** Adds a session of one moment to a visitor. */
export function openSession(
  visitor: Visitor,
  at: number,
  dimensions: Dimensions,
  visitCount = countVisit(visitor, at),
): Session {
  const session: Session = {
    sessionNo: 0,
    startedAt: at,
    firstAt: at,
    lastAt: at,
    storedLastAt: at,
    stored: undefined,
    pageviews: 0,
    events: 0,
    userId: '',
    userSince: undefined,
    visitCount,
    exit: undefined,
    dimensions,
    copiedText: copiedText(dimensions),
    isNew: true,
    isChanged: true,
  }
  const after = visitor.sessions.findIndex(other => other.firstAt > at)
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

/** Sets the user of the active session, or stores the identity as pending. The newest identify by time wins. */
function assignIdentify(context: BatchContext, hit: EnrichedHit): SessionizedHit {
  const identifier = hit.identity!.identifier
  const known = candidates(context, hit)
  const visitor =
    known.find(candidate => activeSession(candidate, hit.at)) ?? known[0] ?? addVisitor(context, hit)
  const session = activeSession(visitor, hit.at)
  const assigned = { hit, visitor, session }
  if (session?.userSince !== undefined && session.userSince > hit.at) return assigned
  if (session && acceptsUser(session, identifier)) {
    setUser(session, identifier, hit.at)
    setPending(visitor, undefined, hit.at)
    return assigned
  }
  // For a late identify, the hit that it should have waited for is already stored.
  const next = visitor.sessions.find(other => other.firstAt > hit.at)
  if (next && next.firstAt - hit.at <= IDENTITY_WAIT_MS) {
    if (next.userId === '') setUser(next, identifier, hit.at)
    return assigned
  }
  setPending(visitor, { identifier, since: hit.at, splits: session !== undefined }, hit.at)
  return assigned
}

/**
 * Removes and returns the pending identity that applies to a hit at `at`, which would join `joinable`. An identity applies
 * for 30 minutes; one that splits a session applies as long as that session could continue. A hit inside another user's
 * session must not split it: the identity stays pending. It also stays pending after its time, because its hit may be late.
 */
function takeIdentity(
  visitor: Visitor,
  at: number,
  joinable: Session | undefined,
): PendingIdentity | undefined {
  const { pending } = visitor
  if (!pending || at < pending.since) return undefined
  const goesOn =
    pending.splits && joinable !== undefined && joinable === sessionBegunBefore(visitor, pending.since)
  if (at - pending.since > IDENTITY_WAIT_MS && !goesOn) return undefined
  const isInside = joinable !== undefined && joinable.firstAt <= at && at <= joinable.lastAt
  if (isInside && !acceptsUser(joinable, pending.identifier)) return undefined
  visitor.pending = undefined
  visitor.isChanged = true
  return pending
}

/** Moves a pending identity from the previous day's visitor to the new day's visitor of the same person. */
function inheritIdentity(visitor: Visitor, previous: Visitor): void {
  if (visitor.pending || !previous.pending || previous.pending.splits) return
  visitor.pending = previous.pending
  visitor.isChanged = true
  previous.pending = undefined
  previous.isChanged = true
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
