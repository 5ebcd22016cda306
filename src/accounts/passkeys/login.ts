import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { auditOf } from '../../audit/audit.ts'
import { query } from '../../db/query.ts'
import { AppError } from '../../errors.ts'
import { countAttempt } from '../../limits/attempts.ts'
import type { Services } from '../../services.ts'
import { auditLogin } from '../audit-login.ts'
import { type Browser, completeLogin } from '../complete-login.ts'
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
 * @param browser.network counts failed attempts
 * @throws AppError `unauthenticated`; `rate_limited` after too many failed attempts
 */
export async function loginWithPasskey(
  services: Parts,
  browser: Browser & { network: string },
  { credential }: UsePasskey,
): Promise<void> {
  const { id: rpId, origin } = relyingParty(services.config)
  const { db, redis, now } = services
  const attempt = await countAttempt(services, 'passkey', { network: browser.network })
  const challenge = await takeChallenge(redis, 'login', credential.response.clientDataJSON)
  if (challenge === undefined) {
    throw new AppError(
      'unauthenticated',
      'The time to sign in is over, or the answer was used before; start again',
    )
  }
  const [known] = await findPasskey(db, { id: credential.id })
  const fail = (reason: string) => refuse(services, browser, known, credential.id, reason)
  if (!known) throw await fail('unknown_passkey')
  const { response } = credential
  const { userHandle } = response
  if (userHandle && userHandle !== handleOf(known.loginId)) throw await fail('wrong_signature')
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
  if (!verified?.verified) throw await fail('wrong_signature')
  if (known.isDisabled) throw await fail('disabled')
  const counter = verified.authenticationInfo.newCounter
  const [counted] = await countUse(db, { id: credential.id, counter, now: now() })
  if (!counted) throw await fail('counter_went_back')
  await completeLogin(services, known.loginId, browser, 'passkey')
  await attempt.giveBack()
}

/** Records why signing in failed. @returns the error for it, which says no more than the person needs */
async function refuse(
  { db, now }: Parts,
  { auditNetwork }: Browser,
  known: Known | undefined,
  passkeyId: string,
  reason: string,
): Promise<AppError> {
  const actor = { teamId: null, userId: null, tokenId: null, network: auditNetwork }
  const audit = auditOf({ ...actor, loginId: known?.loginId ?? null, name: known?.email ?? '' }, now)
  const details = { method: 'passkey', reason }
  if (known) {
    const object = { type: 'passkey', id: passkeyId }
    await auditLogin(db, audit, known.loginId, { action: 'login.failure', object, details })
  } else {
    await audit(db, { action: 'login.failure', details })
  }
  return new AppError('unauthenticated', MESSAGES[reason] ?? 'Signing in with this passkey failed')
}

const MESSAGES: Record<string, string> = {
  disabled: 'The login is disabled',
  counter_went_back:
    'The passkey was refused, since a copy of its authenticator seems to be in use: remove it, and add it again',
}
