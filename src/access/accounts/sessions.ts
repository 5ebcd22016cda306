import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { hashSecret, newSecret } from './secrets.ts'

/** A session ends this long after its last use. */
export const SESSION_MS = 30 * DAY_MS
/** How often a use is written, and the cookie sent again with a new end. */
const TOUCH_MS = 5 * MINUTE_MS
/** How long the secret before a renewal still works: a page sends a dozen requests at once. */
const GRACE_MS = MINUTE_MS
/** Sessions of one login; a login beyond that ends the one that was not used for the longest time. */
const MAX_SESSIONS = 50

/** Where a session is used from. */
export interface Client {
  /** Text of the User-Agent header. */
  userAgent: string
  /** Network of the address (`auditNetwork`), not the address. */
  network: string
}

/** End of a session that is used now: 90 days after signing in at the latest. In hours, since days are longer when clocks are put back. */
const END = `least(:expiresAt::timestamptz, created_at + interval '2160 hours')`

const insertSession = query<
  { loginId: string; hash: Uint8Array; now: Date; expiresAt: Date } & Client,
  { id: string }
>(
  'create-browser-session',
  `insert into browser_sessions
    (login_id, hash, authenticated_at, user_agent, network, last_used_at, expires_at, created_at)
  values (:loginId, :hash, :now, :userAgent, :network, :now, :expiresAt, :now)
  returning id`,
)

const deleteSurplusSessions = query<{ loginId: string; now: Date; kept: number }>(
  'delete-surplus-browser-sessions',
  `delete from browser_sessions
  where id in (
    select id
    from browser_sessions
    where login_id = :loginId
    order by (expires_at > :now::timestamptz) desc, last_used_at desc, id
    offset :kept
  )`,
)

const USER_AGENT_LENGTH = 300

/** Starts a session of a login. @returns its id, and the secret for the cookie, which is not stored */
export async function startSession(
  db: Queryable,
  loginId: string,
  client: Client,
  now: Date,
): Promise<{ id: string; secret: string }> {
  const secret = newSecret()
  const [row] = await insertSession(db, {
    loginId,
    hash: hashSecret(secret),
    now,
    expiresAt: new Date(now.getTime() + SESSION_MS),
    userAgent: client.userAgent.slice(0, USER_AGENT_LENGTH),
    network: client.network,
  })
  await deleteSurplusSessions(db, { loginId, now, kept: MAX_SESSIONS })
  return { id: row!.id, secret }
}

const renewSecret = query<
  { id: string; hash: Uint8Array; now: Date; graceUntil: Date; expiresAt: Date; endsOldSecret: boolean },
  { id: string }
>(
  'renew-browser-session',
  `update browser_sessions
  set
    hash = :hash, must_renew = false,
    previous_hash = case when :endsOldSecret::boolean then null else hash end,
    previous_until = case when :endsOldSecret::boolean then null else :graceUntil::timestamptz end,
    last_used_at = :now, expires_at = ${END}
  where id = :id and (:endsOldSecret::boolean or must_renew)
  returning id`,
)

/**
 * Replaces the secret of a session. That is no sign-in: `authenticated_at` stays.
 * @param options.endsOldSecret the login has changed: the old secret ends at once. Otherwise the session is renewed only if it must be,
 * and the old secret works for another minute
 * @returns the new secret; undefined when another request has renewed the session, or it is gone
 */
export async function renewSession(
  db: Queryable,
  id: string,
  now: Date,
  { endsOldSecret }: { endsOldSecret: boolean },
): Promise<string | undefined> {
  const secret = newSecret()
  const rows = await renewSecret(db, {
    id,
    hash: hashSecret(secret),
    now,
    graceUntil: new Date(now.getTime() + GRACE_MS),
    expiresAt: new Date(now.getTime() + SESSION_MS),
    endsOldSecret,
  })
  return rows.length > 0 ? secret : undefined
}

const touch = query<{ id: string; now: Date; due: Date; expiresAt: Date }>(
  'touch-browser-session',
  `update browser_sessions
  set last_used_at = :now, expires_at = ${END}
  where id = :id and last_used_at <= :due`,
)

/** Writes that a session is in use, at most every five minutes. @returns whether it was due: then send the cookie again */
export async function touchSession(
  db: Queryable,
  { id, lastUsedAt }: { id: string; lastUsedAt: Date },
  now: Date,
): Promise<boolean> {
  const due = new Date(now.getTime() - TOUCH_MS)
  if (lastUsedAt > due) return false
  await touch(db, { id, now, due, expiresAt: new Date(now.getTime() + SESSION_MS) })
  return true
}

/**
 * Writes that the person of a session has just given their credentials again. Its next request gets a new secret.
 * Returns no row when the session is gone.
 */
export const markProven = query<{ id: string; now: Date }, { id: string }>(
  'mark-browser-session-proven',
  'update browser_sessions set authenticated_at = :now, must_renew = true where id = :id returning id',
)

/** Makes the next request of each session of a login get a new secret: what the login may do has changed. */
export const requireRenewal = query<{ loginId: string }>(
  'require-browser-session-renewal',
  'update browser_sessions set must_renew = true where login_id = :loginId',
)

/** Ends sessions of a login: one by its id, or all except `exceptId` when `id` is null. Returns the ids of those that ended. */
export const endSessions = query<
  { loginId: string; id: string | null; exceptId: string | null },
  { id: string }
>(
  'end-browser-sessions',
  `delete from browser_sessions
  where
    login_id = :loginId
    and (:id::uuid is null or id = :id)
    and (:exceptId::uuid is null or id <> :exceptId)
  returning id`,
)

export interface Device extends Client {
  id: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

/** Sessions of a login that have not expired, last used first. */
export const listSessions = query<{ loginId: string; now: Date }, Device>(
  'list-browser-sessions',
  `select
    id, user_agent as "userAgent", network, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
  from browser_sessions
  where login_id = :loginId and expires_at > :now
  order by last_used_at desc, id`,
)
