import { validate as isUuid } from 'uuid'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { hashSecret, isSecret } from '../accounts/secrets.ts'
import { renewSession, touchSession } from '../accounts/sessions.ts'
import { type Caller, type Plan, type Role, SCOPES } from './caller.ts'
import type { Credentials, Guard, Identity, Parts, Person } from './credentials.ts'

interface SessionRow extends Person {
  mustRenew: boolean
  /** The cookie has the present secret, not the one before the last renewal. */
  isCurrent: boolean
  lastUsedAt: Date
  /** Null when the login belongs to no team, or not to the given one. */
  userId: string | null
  teamId: string
  role: Role
  siteIds: string[] | null
  plan: Plan
  trialEndsAt: Date | null
}

const findSession = query<{ hash: Uint8Array; now: Date; teamId: string | null }, SessionRow>(
  'find-browser-session',
)

/** Returns who a browser session belongs to. Throws as `identify`. */
export async function useSession(
  request: Parts & Credentials,
  secret: string,
  guard: Guard,
): Promise<Identity> {
  const { db, team } = request
  const now = request.now()
  if (!isSecret(secret)) throw signedOut()
  const teamId = team !== undefined && isUuid(team) ? team : null
  const hash = hashSecret(secret)
  const row = await guard({
    hash,
    find: async () => (await findSession(db, { hash, now, teamId }))[0],
    refusal: signedOut(),
  })
  if (!request.mayUseCookie) {
    throw new AppError(
      'forbidden',
      `A request with the cookie of a session may change something only from a page of ${request.config.baseUrl}: with ` +
        `Sec-Fetch-Site: same-origin, or with that Origin. If you use another address, set BASE_URL to it`,
    )
  }
  await keepAlive(request, row, secret, now)
  if (team !== undefined && (teamId === null || row.userId === null)) {
    throw new AppError('not_found', 'No such team')
  }
  const { loginId, email, name, sessionId, authenticatedAt } = row
  return { caller: callerOf(row), person: { loginId, email, name, sessionId, authenticatedAt } }
}

function callerOf({
  userId,
  loginId,
  email,
  teamId,
  role,
  siteIds,
  plan,
  trialEndsAt,
}: SessionRow): Caller | null {
  if (userId === null) return null
  return {
    tokenId: null,
    tokenName: null,
    tokenSiteIds: null,
    scopes: [...SCOPES],
    expiresAt: null,
    ...{ userId, loginId, email, teamId, role, siteIds, plan, trialEndsAt },
  }
}

/** Renews the secret if it must be, else prolongs the session when that is due; both send the cookie again. */
async function keepAlive(request: Parts & Credentials, row: SessionRow, secret: string, now: Date) {
  const { db, setSessionCookie } = request
  // The secret before a renewal must not be sent again: the answer may overtake the one with the new secret.
  if (!row.isCurrent) return
  if (row.mustRenew) {
    const renewed = await renewSession(db, row.sessionId, now, { endsOldSecret: false })
    if (renewed !== undefined) setSessionCookie(renewed)
  } else if (await touchSession(db, { id: row.sessionId, lastUsedAt: row.lastUsedAt }, now)) {
    setSessionCookie(secret)
  }
}

const signedOut = () => new AppError('unauthenticated', 'The session has ended: sign in again')
