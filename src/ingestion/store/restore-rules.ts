import type { EnrichedHit, RestoredHit, RestoredSession } from '../hit.ts'
import {
  addPageview,
  addVisitor,
  type BatchContext,
  type Pageview,
  pageKey,
  SESSION_SPAN_MS,
  type Session,
  type Visitor,
  visitorKey,
} from './batch-context.ts'
import { NO_DIMENSIONS } from './dimensions.ts'
import { type AssignedReport, extend, leaveAt, openSession, type SessionizedHit } from './session-rules.ts'

/** Why a restored hit is not stored: it contradicts what is stored already. */
export class Contradiction extends Error {}

type Restorable = EnrichedHit & { restored: RestoredHit }

/**
 * Puts a hit of an export into the session that its line names, and updates the batch context. Nothing is derived: visitor and start name the
 * session, whose values stand in the line. Its extent and counters follow from its hits, so no line can make them wrong.
 * @returns undefined for engagement without its pageview
 * @throws Contradiction when the session would overlap another one of the visitor, or has other values; the context is unchanged then
 */
export function restoreHit(context: BatchContext, hit: Restorable): SessionizedHit | undefined {
  const known = context.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  if (hit.type === 'identify') return restoreIdentify(context, hit, known)
  const given = hit.restored.session!
  const found = known?.sessions.find(({ startedAt }) => startedAt === given.startedAt)
  if (hit.type === 'engagement') {
    const page = known && found && pageOf(context, known, hit)
    if (!page) return undefined
    check(known, found, given, hit.at)
    return {
      hit,
      visitor: visitorOf(context, hit, known),
      session: named(extend(found, hit.at), given),
      page,
    }
  }
  check(known, found, given, hit.at)
  const visitor = visitorOf(context, hit, known)
  const session = named(extend(found ?? open(visitor, given, hit), hit.at), given)
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

/** Returns the pageview of a restored report; undefined without it. */
export function restoreReport(context: BatchContext, hit: Restorable): AssignedReport | undefined {
  const visitor = context.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const page = visitor && pageOf(context, visitor, hit)
  return page && { hit, visitor, page, startedAt: hit.restored.session!.startedAt }
}

/** An identify opens no session and makes none longer: its session is only named. */
function restoreIdentify(context: BatchContext, hit: Restorable, known: Visitor | undefined): SessionizedHit {
  const { session: given, pending } = hit.restored
  const session = given && known?.sessions.find(({ startedAt }) => startedAt === given.startedAt)
  if (session) checkValues(session, given)
  const visitor = visitorOf(context, hit, known)
  if (pending && (visitor.pending?.since ?? 0) < hit.at) {
    visitor.pending = { ...pending, since: hit.at }
    visitor.isChanged = true
  }
  return { hit, visitor, session: session && named(session, given) }
}

/** Returns the pageview at the time that the line names; of several the one with the highest id. */
function pageOf(context: BatchContext, visitor: Visitor, hit: Restorable): Pageview | undefined {
  const { session, pageAt } = hit.restored
  let page: Pageview | undefined
  for (const pageview of context.pageviews.get(pageKey(visitor, session!.startedAt, hit.path)) ?? []) {
    if (pageview.at === pageAt && (!page || pageview.id > page.id)) page = pageview
  }
  return page
}

/** @throws Contradiction */
function check(
  visitor: Visitor | undefined,
  session: Session | undefined,
  given: RestoredSession,
  at: number,
) {
  if (session) checkValues(session, given)
  const firstAt = Math.min(at, session?.firstAt ?? given.startedAt)
  const lastAt = Math.max(at, session?.lastAt ?? given.startedAt)
  if (Math.max(lastAt - given.startedAt, given.startedAt - firstAt) > SESSION_SPAN_MS) {
    throw new Contradiction('the session would reach further than 24 hours from its start')
  }
  for (const other of visitor?.sessions ?? []) {
    if (other !== session && other.firstAt <= lastAt && other.lastAt >= firstAt) {
      throw new Contradiction('the session overlaps another session of its visitor')
    }
  }
}

function checkValues({ userId, dimensions }: Session, given: RestoredSession): void {
  if (userId !== '' && given.userId !== '' && userId !== given.userId) {
    throw new Contradiction('the session belongs to another user already')
  }
  for (const field in NO_DIMENSIONS) {
    const name = field as keyof typeof dimensions
    if (dimensions[name] !== given.dimensions[name]) {
      throw new Contradiction(`the session is stored with another ${name}`)
    }
  }
}

/** Returns the visitor of a hit; adds it when it is new. The first visit is what the lines say, and never after a session. */
function visitorOf(context: BatchContext, hit: Restorable, known: Visitor | undefined): Visitor {
  const { firstSeenAt = hit.at, session } = hit.restored
  const notAfter = Math.min(firstSeenAt, session?.startedAt ?? firstSeenAt)
  const visitor = known ?? addVisitor(context, hit)
  if (!known || notAfter < visitor.firstSeenAt) {
    visitor.firstSeenAt = notAfter
    visitor.isChanged = true
  }
  return visitor
}

function open(
  visitor: Visitor,
  { startedAt, dimensions, visitCount }: RestoredSession,
  hit: Restorable,
): Session {
  const number = visitCount === undefined ? undefined : numberOf(visitor, startedAt, visitCount)
  return extend(openSession(visitor, startedAt, dimensions, number), hit.at)
}

/** Returns which visit a restored session is: visits before it may be gone, not exported, or restored after it. */
function numberOf(visitor: Visitor, startedAt: number, given: number): number {
  if (visitor.newestSessionAt !== undefined && startedAt < visitor.newestSessionAt) {
    visitor.hasRestoredLate = true
    visitor.sessionCount = Math.max(visitor.sessionCount, given)
    return given
  }
  visitor.newestSessionAt = startedAt
  visitor.sessionCount = Math.max(visitor.sessionCount + 1, given)
  return visitor.sessionCount
}

/** Gives a session its user, unless it has one already. */
function named(session: Session, { userId, userSince }: RestoredSession): Session {
  if (userId === '') return session
  if (session.userId === userId && (userSince ?? 0) <= (session.userSince ?? 0)) return session
  session.userId = userId
  session.userSince = userSince
  session.isChanged = true
  return session
}
