import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Language } from '../../platform/mail/languages.ts'
import type { Services } from '../../platform/services.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { knownBrowser } from './known-browser.ts'
import { tellLogin } from './notices/notices.ts'
import { hashSecret, isSecret } from './secrets.ts'
import { type Client, startSession } from './sessions.ts'

/** A browser in which a person signs in. */
export interface Browser extends Client {
  /** Secret in the cookie that the request came with. */
  sessionCookie: string | undefined
  /** Cookie of a browser that has signed in before: known-browser.ts. */
  knownBrowser: string | undefined
  /** The first language of the browser that mails have; null for none. */
  language: Language | null
}

export type SignInMethod = 'password' | 'passkey' | 'single_sign_on' | 'setup' | 'invitation'

/** The row stays locked until the transaction ends: a login that is disabled meanwhile ends this session, too. */
const touchLogin = query<
  {
    id: string
    now: Date
    passwordHash: string | null
    language: Language | null
    isLanguageChosen: boolean
  },
  { isFirst: boolean }
>(
  'touch-login',
  `update logins
  set
    last_login_at = :now,
    language = case
      when :isLanguageChosen::boolean then coalesce(:language, logins.language)
      else coalesce(logins.language, :language)
    end
  from logins as before
  where
    logins.id = :id
    and before.id = logins.id
    and logins.disabled_at is null
    and (:passwordHash::text is null or logins.password_hash = :passwordHash)
  returning before.last_login_at is null as "isFirst"`,
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
 * Signs a person in who has proved who they are: always with a new session. The session that the browser had ends. A browser in which they
 * have not signed in before is news for them, unless they sign in for the first time.
 * @param login.passwordHash the hash that the given password was compared with, when that was the proof
 * @returns the secret for the cookie
 * @throws AppError `unauthenticated` when the login was disabled or its password changed meanwhile
 */
export async function beginSession(
  tx: Transaction,
  services: Pick<Services, 'config' | 'now'>,
  login: { id: string; email: string; passwordHash?: string | null },
  browser: Browser,
  method: SignInMethod,
): Promise<string> {
  const now = services.now()
  const { id, email: name, passwordHash = null } = login
  // On the way back from a provider the browser says its own language, not the one that the page was shown in.
  const isLanguageChosen = method !== 'single_sign_on'
  const { language } = browser
  const [row] = await touchLogin(tx, { id, now, passwordHash, language, isLanguageChosen })
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
  if (!row.isFirst && knownBrowser(services, browser.knownBrowser, name) === undefined) {
    await tellLogin(tx, services, id, { notice: { kind: 'new_browser' }, origin: browser })
  }
  return secret
}
