import { AppError } from '../../../platform/errors.ts'
import { countAttempt } from '../../../platform/limits/attempts.ts'
import type { Services } from '../../../platform/services.ts'
import { recordLoginEntry } from '../../audit/login-entries.ts'
import { type Browser, beginSession } from '../begin-session.ts'
import type { Visitor } from '../sign-in.ts'
import { CHALLENGE_MS, newChallenge } from './challenges.ts'
import type { UseOptions, UsePasskey } from './passkey-schema.ts'
import { relyingParty } from './relying-party.ts'
import { type Known, type Reason, verifyPasskey } from './verify.ts'

type Parts = Pick<Services, 'db' | 'redis' | 'config' | 'now'>

/** Returns what a page passes to `navigator.credentials.get`. It names no passkey: the authenticator knows whose it has. */
export async function offerLogin({ redis, config }: Pick<Parts, 'redis' | 'config'>): Promise<UseOptions> {
  const { id } = relyingParty(config)
  const challenge = await newChallenge(redis, 'login')
  return {
    challenge: Buffer.from(challenge).toString('base64url'),
    rpId: id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
  }
}

/**
 * Signs in the person whose authenticator has signed a challenge of `offerLogin`. It has verified the person, so a passkey counts as both
 * factors.
 * @returns the secret for the cookie
 * @throws AppError `unauthenticated`; `rate_limited` after too many failed attempts
 */
export async function loginWithPasskey(
  services: Parts,
  given: UsePasskey,
  { browser, network }: Visitor,
): Promise<{ loginId: string; secret: string }> {
  relyingParty(services.config)
  const attempt = await countAttempt(services, 'passkey', { network })
  const known = await verifyPasskey(services, given, 'login', (reason, known) =>
    refuse(services, browser, known, reason),
  )
  const login = { id: known.loginId, email: known.email }
  const secret = await services.db.begin(tx => beginSession(tx, services, login, browser, 'passkey'))
  await attempt.giveBack()
  return { loginId: login.id, secret }
}

const MESSAGES: Record<Reason, string> = {
  expired: 'The time to sign in is over, or the answer was used before; start again',
  unknown: 'Signing in with this passkey failed',
  signature: 'Signing in with this passkey failed',
  disabled: 'The login is disabled',
  counter:
    'The passkey was refused, since a copy of its authenticator seems to be in use: remove it, and add it again',
}

/** Records why signing in failed. @returns the error for it */
async function refuse(
  { db, now }: Parts,
  { network }: Browser,
  known: Known | undefined,
  reason: Reason,
): Promise<AppError> {
  if (reason !== 'expired') {
    const { loginId = null, email: name = 'unknown passkey' } = known ?? {}
    const details = { method: 'passkey', reason }
    await recordLoginEntry(db, { action: 'login.failure', loginId, name, network, details }, now())
  }
  return new AppError('unauthenticated', MESSAGES[reason])
}
