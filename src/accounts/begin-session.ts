import { recordLoginEntry } from '../audit/logins.ts'
import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import { hashSecret, isSecret } from './secrets.ts'
import { type Client, startSession } from './sessions.ts'

/** A browser that somebody signs in with. */
export interface Browser extends Client {
  /** Secret in the cookie that the request came with. */
  sessionCookie: string | undefined
}

export type SignInMethod = 'password' | 'passkey' | 'single_sign_on' | 'setup' | 'invitation'

/** The row stays locked until the transaction ends: a login that is disabled meanwhile ends this session, too. */
const touchLogin = query<{ id: string; now: Date; passwordHash: string | null }, { id: string }>(
  'touch-login',
  `update logins
  set last_login_at = :now
  where id = :id and disabled_at is null and (:passwordHash::text is null or password_hash = :passwordHash)
  returning id`,
)

/** Ends the session of a cookie. */
export const endSessionOfSecret = query<{ hash: Uint8Array }, { loginId: string; email: string }>(
  'end-browser-session-of-secret',
  `delete from browser_sessions
  using logins
  where logins.id = browser_sessions.login_id and (hash = :hash or previous_hash = :hash)
  returning logins.id as "loginId", logins.email`,
)

/**
 * Signs a person in who has proved who they are: always with a new session. The session that the browser had ends.
 * @param login.passwordHash the hash that the given password was compared with, when that was the proof
 * @returns the secret for the cookie
 * @throws AppError `unauthenticated` when the login was disabled or its password changed meanwhile
 */
export async function beginSession(
  tx: Transaction,
  login: { id: string; email: string; passwordHash?: string | null },
  browser: Browser,
  method: SignInMethod,
  now: Date,
): Promise<string> {
  const { id, email: name, passwordHash = null } = login
  const [row] = await touchLogin(tx, { id, now, passwordHash })
  if (!row) throw new AppError('unauthenticated', 'The login has changed; sign in again')
  const { sessionCookie, network } = browser
  if (sessionCookie !== undefined && isSecret(sessionCookie)) {
    await endSessionOfSecret(tx, { hash: hashSecret(sessionCookie) })
  }
  const { secret } = await startSession(tx, id, browser, now)
  await recordLoginEntry(
    tx,
    { action: 'login.success', loginId: id, name, network, details: { method } },
    now,
  )
  return secret
}
