import { recordLoginEntry } from '../../audit/logins.ts'
import { query } from '../../db/query.ts'
import { AppError } from '../../errors.ts'
import { countAttempt } from '../../limits/attempts.ts'
import type { Services } from '../../services.ts'
import { type Browser, beginSession } from '../begin-session.ts'
import type { Visitor } from '../sign-in.ts'
import { CHALLENGE_MS, newChallenge, takeChallenge } from './challenges.ts'
import { relyingParty } from './relying-party.ts'
import type { UseOptions, UsePasskey } from './schema.ts'
import { handleOf } from './user-handle.ts'

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

interface Known {
  loginId: string
  email: string
  isDisabled: boolean
  publicKey: Buffer
}

const findPasskey = query<{ id: string }, Known>(
  'find-passkey',
  `select
    logins.id as "loginId",
    logins.email,
    logins.disabled_at is not null as "isDisabled",
    passkeys.public_key as "publicKey"
  from passkeys
  join logins on logins.id = passkeys.login_id
  where passkeys.id = :id`,
)

/** Returns no row when the counter does not go up: a copy of the authenticator has counted on. Some count nothing: always 0. */
const countUse = query<{ id: string; counter: number; now: Date }, { id: string }>(
  'count-use-of-passkey',
  `update passkeys
  set counter = :counter, last_used_at = :now
  where id = :id and (counter < :counter or (counter = 0 and :counter::bigint = 0))
  returning id`,
)

/**
 * Signs in the person whose authenticator has signed a challenge of `offerLogin`. It has verified the person, so a passkey counts as both
 * factors.
 * @returns the secret for the cookie
 * @throws AppError `unauthenticated`; `rate_limited` after too many failed attempts
 */
export async function loginWithPasskey(
  services: Parts,
  { credential }: UsePasskey,
  { browser, network }: Visitor,
): Promise<{ loginId: string; secret: string }> {
  const { id: rpId, origin } = relyingParty(services.config)
  const { db, redis, now } = services
  const attempt = await countAttempt(services, 'passkey', { network })
  const challenge = await takeChallenge(redis, 'login', credential.response.clientDataJSON)
  if (challenge === undefined) {
    throw new AppError(
      'unauthenticated',
      'The time to sign in is over, or the answer was used before; start again',
    )
  }
  const [known] = await findPasskey(db, { id: credential.id })
  const fail = (reason: Reason) => refuse(services, browser, known, reason)
  if (!known) throw await fail('unknown')
  const { response } = credential
  const { userHandle } = response
  if (userHandle && userHandle !== handleOf(known.loginId)) throw await fail('signature')
  // Loaded at its first use: it takes 120 ms, which every start of a worker would pay.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response: {
      ...credential,
      response: {
        clientDataJSON: response.clientDataJSON,
        authenticatorData: response.authenticatorData,
        signature: response.signature,
      },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    // The library looks at the counter before the signature. `countUse` does it afterwards: only the authenticator itself, or its copy,
    // may raise an alarm.
    credential: { id: credential.id, publicKey: new Uint8Array(known.publicKey), counter: 0 },
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!verified?.verified) throw await fail('signature')
  if (known.isDisabled) throw await fail('disabled')
  const counter = verified.authenticationInfo.newCounter
  const [counted] = await countUse(db, { id: credential.id, counter, now: now() })
  if (!counted) throw await fail('counter')
  const login = { id: known.loginId, email: known.email }
  const secret = await db.begin(tx => beginSession(tx, login, browser, 'passkey', now()))
  await attempt.giveBack()
  return { loginId: login.id, secret }
}

const MESSAGES = {
  unknown: 'Signing in with this passkey failed',
  signature: 'Signing in with this passkey failed',
  disabled: 'The login is disabled',
  counter:
    'The passkey was refused, since a copy of its authenticator seems to be in use: remove it, and add it again',
}
type Reason = keyof typeof MESSAGES

/** Records why signing in failed. @returns the error for it */
async function refuse(
  { db, now }: Parts,
  { network }: Browser,
  known: Known | undefined,
  reason: Reason,
): Promise<AppError> {
  const { loginId = null, email: name = 'unknown passkey' } = known ?? {}
  const details = { method: 'passkey', reason }
  await recordLoginEntry(db, { action: 'login.failure', loginId, name, network, details }, now())
  return new AppError('unauthenticated', MESSAGES[reason])
}
