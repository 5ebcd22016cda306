import type { EnrichedHit } from '../hit.ts'
import {
  activeSession,
  addVisitor,
  candidates,
  type PendingIdentity,
  type Placed,
  type Session,
  sessionBegunBefore,
  type Visitor,
  type World,
} from './timeline.ts'

/** Time that an identity waits for a visitor's next hit. */
const IDENTITY_WAIT_MS = 30 * 60_000

/** Sets the user of the active session, or stores the identity as pending. The newest identify by time wins. */
export function placeIdentify(world: World, hit: EnrichedHit): Placed {
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
  // For a late identify, the hit that it should have waited for is already stored.
  const next = visitor.sessions.find(other => other.firstAt > hit.at)
  if (next && next.firstAt - hit.at <= IDENTITY_WAIT_MS) {
    if (next.userId === '') setUser(next, identifier, hit.at)
    return placed
  }
  setPending(visitor, { identifier, since: hit.at, splits: session !== undefined }, hit.at)
  return placed
}

/**
 * Removes and returns the pending identity that applies to a hit at `at`, which would join `joinable`. An identity applies
 * for 30 minutes; one that splits a session applies as long as that session could continue. A hit inside another user's
 * session must not split it: the identity stays pending. It also stays pending after its time, because its hit may be late.
 */
export function takeIdentity(
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
export function inheritIdentity(visitor: Visitor, previous: Visitor): void {
  if (visitor.pending || !previous.pending || previous.pending.splits) return
  visitor.pending = previous.pending
  visitor.isChanged = true
  previous.pending = undefined
  previous.isChanged = true
}

export function setUser(session: Session, identifier: string, since: number): void {
  session.userId = identifier
  session.userSince = Math.max(session.userSince ?? since, since)
  session.isChanged = true
}

export const acceptsUser = (session: Session, identifier: string) =>
  session.userId === '' || session.userId === identifier

function setPending(visitor: Visitor, pending: PendingIdentity | undefined, at: number): void {
  if (visitor.pending && visitor.pending.since > at) return
  if (!visitor.pending && !pending) return
  visitor.pending = pending
  visitor.isChanged = true
}
