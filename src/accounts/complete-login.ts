import { auditOf } from '../audit/audit.ts'
import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import { auditLogin } from './audit-login.ts'
import { hashSecret, isSecret } from './secrets.ts'
import { startSession } from './sessions.ts'

export type LoginMethod = 'password' | 'passkey' | 'single_sign_on'

/** The browser that signs in. */
export interface Browser {
  userAgent: string
  auditNetwork: string
  sessionCookie: string | undefined
  setSessionCookie: (secret: string | null) => void
}

const touchLogin = query<{ loginId: string; now: Date }, { email: string }>(
  'touch-login',
  'update logins set last_login_at = :now where id = :loginId and disabled_at is null returning email',
)

const endSessionOf = query<{ hash: Uint8Array }>(
  'end-browser-session-of-cookie',
  'delete from browser_sessions where hash = :hash or previous_hash = :hash',
)

/**
 * Starts a new session for a login whose credentials were just proved. The session that the request came with ends.
 * @throws AppError `unauthenticated` when the login is disabled
 */
export async function completeLogin(
  { db, now }: Pick<Services, 'db' | 'now'>,
  loginId: string,
  { userAgent, auditNetwork, sessionCookie, setSessionCookie }: Browser,
  method: LoginMethod,
): Promise<void> {
  const at = now()
  const secret = await db.begin(async tx => {
    const [login] = await touchLogin(tx, { loginId, now: at })
    if (!login) throw new AppError('unauthenticated', 'The login is disabled')
    if (sessionCookie !== undefined && isSecret(sessionCookie)) {
      await endSessionOf(tx, { hash: hashSecret(sessionCookie) })
    }
    const session = await startSession(tx, loginId, { userAgent, network: auditNetwork }, at)
    const actor = { teamId: null, loginId, userId: null, tokenId: null, name: login.email }
    const audit = auditOf({ ...actor, network: auditNetwork }, now)
    await auditLogin(tx, audit, loginId, { action: 'login.success', details: { method } })
    return session.secret
  })
  setSessionCookie(secret)
}
