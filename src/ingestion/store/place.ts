import type { EnrichedHit } from '../hit.ts'
import { acceptsUser, inheritIdentity, placeIdentify, setUser, takeIdentity } from './identity.ts'
import {
  addVisitor,
  candidates,
  findJoinable,
  join,
  open,
  type Pageview,
  type Placed,
  pageKey,
  previousVisitor,
  SESSION_SPAN_MS,
  type Session,
  sessionBegunBefore,
  type Visitor,
  visitorKey,
  type World,
} from './timeline.ts'

/**
 * Assigns a hit to a session by the session rules of contract §6 and §7, and updates the batch context. The hits of a batch
 * must be sorted by time and id; a hit that is earlier than stored hits follows the rule for late hits.
 * @returns the hit with its visitor and session, or undefined for orphan engagement, which is not recorded
 */
export function place(world: World, hit: EnrichedHit): Placed | undefined {
  if (hit.type === 'engagement') return placeEngagement(world, hit)
  if (hit.type === 'identify') return placeIdentify(world, hit)
  return placeHit(world, hit)
}

function placeHit(world: World, hit: EnrichedHit): Placed {
  const visitor = visitorOf(world, hit)
  visitor.firstSeenAt = Math.min(visitor.firstSeenAt, hit.at)
  const joinable = findJoinable(visitor, hit.at)
  const identity = takeIdentity(visitor, hit.at, joinable)
  const isForeign =
    identity !== undefined && joinable !== undefined && !acceptsUser(joinable, identity.identifier)
  const session = joinable && !isForeign ? join(joinable, hit.at) : open(visitor, hit)
  if (identity) setUser(session, identity.identifier, identity.since)
  if (hit.type === 'pageview') {
    session.pageviews += 1
    notePageview(world, visitor, session, hit)
  } else {
    session.events += 1
  }
  return { hit, visitor, session }
}

/** Returns the visitor of a hit. Over midnight, an active session continues under the previous day's visitor id. */
function visitorOf(world: World, hit: EnrichedHit): Visitor {
  const own = world.visitors.get(visitorKey(hit.siteNo, hit.visitorId))
  const previous = previousVisitor(world, hit)
  const isRunning = (visitor: Visitor | undefined) =>
    visitor !== undefined && findJoinable(visitor, hit.at) !== undefined
  if (previous && !isRunning(own) && isRunning(previous)) return previous
  const visitor = own ?? addVisitor(world, hit)
  if (previous) inheritIdentity(visitor, previous)
  return visitor
}

function notePageview(world: World, visitor: Visitor, session: Session, hit: EnrichedHit): void {
  const key = pageKey(visitor, session.startedAt, hit.path)
  const pageview = { id: hit.id, at: hit.at, title: hit.title ?? '' }
  const known = world.pageviews.get(key)
  if (known) known.push(pageview)
  else world.pageviews.set(key, [pageview])
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

function newest(pageviews: Pageview[] | undefined, notAfter: number): Pageview | undefined {
  let found: Pageview | undefined
  for (const pageview of pageviews ?? []) {
    if (pageview.at <= notAfter && (!found || isLater(pageview, found))) found = pageview
  }
  return found
}

/** At equal times the higher id is later, so that the result does not depend on the order of arrival. */
const isLater = (a: Pageview, b: Pageview) => a.at > b.at || (a.at === b.at && a.id > b.id)
