import { byTimeThenId, isReserved, type SentHit } from './recount-hits.ts'
import { recountFilteredOverview } from './recount-metrics.ts'
import { worldOf } from './recount-world.ts'

export { byTimeThenId, type SentHit } from './recount-hits.ts'

/**
 * The numbers of the API, counted again the slow way: straight from the hits that were sent, in plain loops,
 * sharing nothing with the service. Tests compare the service's answers with these.
 */

export interface Session {
  visitor: string
  /** time of the hit that opened it; a late hit may lie before */
  startedAt: number
  firstAt: number
  /** engagement included */
  lastAt: number
  pageviews: number
  /** everything that came through `/api/event`, autocapture and errors included */
  events: number
  /** path of the opening hit; empty when that was an event without a path */
  entryPath: string
  /** empty when anonymous */
  userId: string
  /** 1 for the visitor's first session by start time */
  visitCount: number
  /** ids of its pageviews, events and engagements in (time, id) order */
  hits: string[]
  /** id of the hit that opened it */
  openedBy: string
}

export interface Recount {
  /** by start, then visitor */
  sessions: Session[]
  /** ids that were not recorded: engagement without its pageview, reserved event names */
  dropped: string[]
  /** index into `sessions` of every recorded pageview, event and engagement, by hit id */
  sessionOf: Map<string, number>
  /** id of the pageview that each recorded engagement belongs to, by the engagement's id */
  pageviewOf: Map<string, string>
}

const silenceMs = 30 * 60_000
const longestMs = 24 * 60 * 60_000

interface SessionInProgress {
  /** in order of arrival, so that the first one opened it */
  hits: SentHit[]
  userId: string
  /** time of the identify that `userId` comes from */
  identifiedAt: number
}

/** An identify that has found no session to name yet. */
interface WaitingIdentity {
  userId: string
  at: number
  /** the session that was active and has another user */
  closes: SessionInProgress | undefined
}

interface Visitor {
  sessions: SessionInProgress[]
  waiting: WaitingIdentity | undefined
  /** pageview id by engagement id */
  pageviewOf: Map<string, string>
}

/**
 * Sessions as they stand after all hits have arrived.
 * @param arrivalBatches hits of one batch are taken in (time, id) order, batches in array order, so that a hit of a
 *   later batch with an earlier time is a late one. An id that was delivered before is ignored, whatever became of it.
 */
export function recountSessions(arrivalBatches: SentHit[][]): Recount {
  const visitors = new Map<string, Visitor>()
  const delivered = new Set<string>()
  const dropped: string[] = []
  const pageviewOf = new Map<string, string>()

  for (const batch of arrivalBatches) {
    for (const hit of batch.toSorted(byTimeThenId)) {
      if (delivered.has(hit.id)) continue
      delivered.add(hit.id)

      const visitor = visitors.get(hit.visitor) ?? { sessions: [], waiting: undefined, pageviewOf }
      visitors.set(hit.visitor, visitor)
      if (!record(visitor, hit)) dropped.push(hit.id)
    }
  }
  const sessions = [...visitors].flatMap(([visitor, own]) => summarize(visitor, own.sessions))
  sessions.sort((a, b) => a.startedAt - b.startedAt || (a.visitor < b.visitor ? -1 : 1))
  const sessionOf = new Map(sessions.flatMap(({ hits }, index) => hits.map(id => [id, index] as const)))
  return { sessions, dropped, sessionOf, pageviewOf }
}

/** @returns false when the hit is not recorded */
function record(visitor: Visitor, hit: SentHit): boolean {
  if (hit.kind === 'identify') {
    identify(visitor, hit)
    return true
  }
  if (hit.kind === 'engagement') return engage(visitor, hit)
  if (isReserved(hit)) return false
  visit(visitor, hit)
  return true
}

const startedAt = ({ hits }: SessionInProgress) => hits[0]!.at

function firstAt(session: SessionInProgress): number {
  return Math.min(...session.hits.map(hit => hit.at))
}

function lastAt(session: SessionInProgress): number {
  return Math.max(...session.hits.map(hit => hit.at))
}

function contains(session: SessionInProgress, at: number): boolean {
  return firstAt(session) <= at && at <= lastAt(session)
}

/** Milliseconds between a moment and the nearer end of the session; 0 inside. */
function distance(session: SessionInProgress, at: number): number {
  return Math.max(firstAt(session) - at, at - lastAt(session), 0)
}

/** Whether a hit at that moment is close enough to the session's hits and to its opening hit. */
function hasRoom(session: SessionInProgress, at: number): boolean {
  return distance(session, at) <= silenceMs && Math.abs(at - startedAt(session)) <= longestMs
}

/** The visitor's newest session of which a hit lies at or before the moment. */
function newestBegun(visitor: Visitor, at: number): SessionInProgress | undefined {
  return visitor.sessions
    .filter(session => firstAt(session) <= at)
    .toSorted(byFirstAt)
    .at(-1)
}

/** The visitor's first session that lies wholly after the moment. */
function nextAfter(visitor: Visitor, at: number): SessionInProgress | undefined {
  return visitor.sessions.filter(session => firstAt(session) > at).toSorted(byFirstAt)[0]
}

function byFirstAt(a: SessionInProgress, b: SessionInProgress): number {
  return firstAt(a) - firstAt(b)
}

/** The nearer of the two sessions around the moment that have room; the earlier one when both are as near. */
function sessionFor(visitor: Visitor, at: number): SessionInProgress | undefined {
  const before = newestBegun(visitor, at)
  const after = nextAfter(visitor, at)
  if (before && contains(before, at)) return before
  const toBefore = before && hasRoom(before, at) ? distance(before, at) : Number.POSITIVE_INFINITY
  const toAfter = after && hasRoom(after, at) ? distance(after, at) : Number.POSITIVE_INFINITY
  if (toBefore === Number.POSITIVE_INFINITY && toAfter === Number.POSITIVE_INFINITY) return undefined
  return toBefore <= toAfter ? before : after
}

/** A pageview or event: joins a session or opens one. */
function visit(visitor: Visitor, hit: SentHit): void {
  const session = sessionFor(visitor, hit.at)
  const waiting = identityWaitingFor(visitor, hit, session)
  const otherUser = waiting && session && session.userId !== '' && session.userId !== waiting.userId

  if (session && otherUser && contains(session, hit.at)) {
    session.hits.push(hit)
    return
  }
  if (session && !otherUser) {
    session.hits.push(hit)
    if (waiting) giveUser(session, waiting.userId, waiting.at)
  } else {
    visitor.sessions.push({
      hits: [hit],
      userId: waiting?.userId ?? '',
      identifiedAt: waiting?.at ?? Number.NEGATIVE_INFINITY,
    })
  }
  if (waiting) visitor.waiting = undefined
}

/**
 * An identity waits 30 minutes for the visitor's next hit. When it waits because the active session has another
 * user, it also catches any later hit that would go on with that session.
 */
function identityWaitingFor(
  visitor: Visitor,
  hit: SentHit,
  session: SessionInProgress | undefined,
): WaitingIdentity | undefined {
  const { waiting } = visitor
  if (!waiting || hit.at < waiting.at) return undefined
  const goesOnWithClosed = session !== undefined && session === waiting.closes
  return hit.at - waiting.at <= silenceMs || goesOnWithClosed ? waiting : undefined
}

function giveUser(session: SessionInProgress, userId: string, at: number): void {
  session.userId = userId
  session.identifiedAt = Math.max(session.identifiedAt, at)
}

/** @returns false without a pageview that it could belong to */
function engage(visitor: Visitor, hit: SentHit): boolean {
  const session = newestBegun(visitor, hit.at)
  if (!session || hit.at - startedAt(session) >= longestMs) return false
  const pageview = session.hits
    .filter(earlier => earlier.kind === 'pageview' && earlier.path === hit.path && earlier.at <= hit.at)
    .toSorted(byTimeThenId)
    .at(-1)
  if (!pageview) return false
  session.hits.push(hit)
  visitor.pageviewOf.set(hit.id, pageview.id)
  return true
}

/** Names the active session, or leaves the identity waiting. By time, the newest identify decides. */
function identify(visitor: Visitor, hit: SentHit): void {
  const userId = hit.identifier ?? ''
  const begun = newestBegun(visitor, hit.at)
  const active = begun && hasRoom(begun, hit.at) ? begun : undefined

  if (active && hit.at < active.identifiedAt) return
  if (active && (active.userId === '' || active.userId === userId)) {
    giveUser(active, userId, hit.at)
    if (visitor.waiting && visitor.waiting.at <= hit.at) visitor.waiting = undefined
    return
  }

  // A late identify: the session that it would have waited for is there already.
  const next = nextAfter(visitor, hit.at)
  if (next && firstAt(next) - hit.at <= silenceMs) {
    if (next.userId === '') giveUser(next, userId, hit.at)
    return
  }
  if (visitor.waiting && visitor.waiting.at > hit.at) return
  visitor.waiting = { userId, at: hit.at, closes: active }
}

function summarize(visitor: string, ofVisitor: SessionInProgress[]): Session[] {
  const inOrder = ofVisitor.toSorted((a, b) => startedAt(a) - startedAt(b))
  return inOrder.map((session, index) => ({
    visitor,
    startedAt: startedAt(session),
    firstAt: firstAt(session),
    lastAt: lastAt(session),
    pageviews: session.hits.filter(hit => hit.kind === 'pageview').length,
    events: session.hits.filter(hit => hit.kind === 'event').length,
    entryPath: session.hits[0]!.path ?? '',
    userId: session.userId,
    visitCount: index + 1,
    hits: session.hits.toSorted(byTimeThenId).map(hit => hit.id),
    openedBy: session.hits[0]!.id,
  }))
}

/**
 * The overview without kpi and revenue.
 * @param hits everything that was sent, in any order, repeated deliveries included
 * @param from first day, Y-m-d
 * @param to last day, Y-m-d
 */
export function recountOverview(hits: SentHit[], result: Recount, zone: string, from: string, to: string) {
  return recountFilteredOverview(worldOf(hits, result, zone), { from, to })
}
