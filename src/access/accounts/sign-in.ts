import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import type { Services } from '../../platform/services.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { type Browser, beginSession } from './begin-session.ts'
import { knownBrowser } from './known-browser.ts'
import { findLoginByEmail, type Login } from './logins.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { takeRecoveryCode } from './recovery-codes.ts'
import { takeTotpCode } from './totp.ts'

export type SignInServices = Pick<Services, 'db' | 'redis' | 'config' | 'now' | 'log'>

/** A browser, with the network that its attempts are counted by. */
export interface Visitor {
  browser: Browser
  network: string
}

/** Whom attempts of a visitor with an e-mail address are counted by: a browser that has signed in before, or the network. */
export function attemptsOf(
  services: Pick<Services, 'config'>,
  email: string,
  { network, browser: { knownBrowser: cookie } }: Visitor,
): Parameters<typeof countAttempt>[2] {
  const known = knownBrowser(services, cookie, email)
  return known === undefined ? { emailInNetwork: `${email}\n${network}`, email, network } : { browser: known }
}

const replaceHash = query<{ id: string; before: string; after: string }>(
  'replace-password-hash',
  'update logins set password_hash = :after where id = :id and password_hash = :before',
)

/** What the answer says when only the code of the second factor is missing. */
export const NEEDS_CODE = 'Send the code of your authenticator app, too, as `code`'

const PASSWORDS_OFF = 'Passwords are turned off here: use single sign-on'

/** @throws AppError `forbidden` where single sign-on is the only way in */
export function requirePasswords({ config }: Pick<Services, 'config'>): void {
  if (!config.hasPasswords) throw new AppError('forbidden', PASSWORDS_OFF)
}

/**
 * Signs a person in with their password, and a code when the login has a second factor. The answer and the time it takes are the same for
 * an unknown address, a wrong password, a login without a password and one that is disabled.
 * @returns the secret for the cookie
 * @throws AppError `unauthenticated`; `second_factor_required` when only the code is missing; `rate_limited`; `forbidden`
 */
export async function signIn(
  services: SignInServices,
  given: { email: string; password: string; code?: string | undefined },
  visitor: Visitor,
): Promise<{ loginId: string; secret: string }> {
  requirePasswords(services)
  const { browser } = visitor
  const { db } = services
  const email = given.email.toLowerCase()
  const attempt = await countAttempt(services, 'login', attemptsOf(services, email, visitor))
  const [login] = await findLoginByEmail(db, { email })
  const { isRight, mustRehash } = await verifyPassword(login?.passwordHash ?? null, given.password)
  const refusal = reasonToRefuse(login, isRight)
  if (refusal !== undefined) throw await failed(services, login, browser, refusal)
  if (login!.totpSecret && !given.code) {
    await attempt.giveBack()
    throw new AppError('second_factor_required', NEEDS_CODE)
  }
  const secret = await db.begin(async tx => {
    if (!(await isSecondFactorRight(services, tx, login!, given.code))) return undefined
    return beginSession(tx, services, login!, browser, 'password')
  })
  if (secret === undefined) throw await failed(services, login, browser, 'code')
  await attempt.giveBack()
  if (mustRehash) await rehash(services, login!, given.password)
  return { loginId: login!.id, secret }
}

type Reason = 'unknown' | 'no_password' | 'password' | 'disabled' | 'code'

function reasonToRefuse(login: Login | undefined, isRight: boolean): Reason | undefined {
  if (!login) return 'unknown'
  if (login.passwordHash === null) return 'no_password'
  if (!isRight) return 'password'
  return login.disabledAt ? 'disabled' : undefined
}

/** Records a failure. What was typed in place of an address is not kept: it may be a password. */
async function failed(
  { db, now }: Pick<Services, 'db' | 'now'>,
  login: Login | undefined,
  { network }: Browser,
  reason: Reason,
): Promise<AppError> {
  const { id = null, email = 'unknown address' } = login ?? {}
  const entry = { action: 'login.failure', loginId: id, name: email, network, details: { reason } } as const
  await recordLoginEntry(db, entry, now())
  return new AppError('unauthenticated', 'The e-mail address, the password or the code is wrong')
}

/** Returns whether a code is right, and uses it up. Without a second factor, none is needed. */
export async function isSecondFactorRight(
  { config, now }: Pick<Services, 'config' | 'now'>,
  tx: Transaction,
  { id, totpSecret }: Login,
  code: string | undefined,
): Promise<boolean> {
  if (!totpSecret) return true
  if (code === undefined) return false
  return (
    (await takeTotpCode(tx, config.secretKey, { id, totpSecret }, code, now())) ||
    (await takeRecoveryCode(tx, id, code))
  )
}

/** Hashes the password again with the present parameters. A failure changes nothing: the next sign-in tries again. */
async function rehash(
  { db, log }: SignInServices,
  { id, passwordHash }: Login,
  password: string,
): Promise<void> {
  try {
    await replaceHash(db, { id, before: passwordHash!, after: await hashPassword(password) })
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'a password could not be hashed again')
  }
}
