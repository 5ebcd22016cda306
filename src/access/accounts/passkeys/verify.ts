import { query } from '../../../platform/db/query.ts'
import type { AppError } from '../../../platform/errors.ts'
import type { Services } from '../../../platform/services.ts'
import { type Purpose, takeChallenge } from './challenges.ts'
import type { UsePasskey } from './passkey-schema.ts'
import { relyingParty } from './relying-party.ts'
import { handleOf } from './user-handle.ts'

/** Whose passkey was used. */
export interface Known {
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

export type Reason = 'expired' | 'unknown' | 'signature' | 'disabled' | 'counter'

/**
 * Finds out whose authenticator has signed a challenge for a purpose, and counts the use. The authenticator has verified the person, so a passkey
 * counts as both factors.
 * @param fail records why it is refused, and returns the error for it
 * @throws AppError what `fail` returns
 */
export async function verifyPasskey(
  { db, redis, config, now }: Pick<Services, 'db' | 'redis' | 'config' | 'now'>,
  { credential }: UsePasskey,
  purpose: Purpose,
  fail: (reason: Reason, known: Known | undefined) => Promise<AppError>,
): Promise<Known> {
  const { id: rpId, origin } = relyingParty(config)
  const challenge = await takeChallenge(redis, purpose, credential.response.clientDataJSON)
  if (challenge === undefined) throw await fail('expired', undefined)
  const [known] = await findPasskey(db, { id: credential.id })
  if (!known) throw await fail('unknown', known)
  const { response } = credential
  const { userHandle } = response
  if (userHandle && userHandle !== handleOf(known.loginId)) throw await fail('signature', known)
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
  if (!verified?.verified) throw await fail('signature', known)
  if (known.isDisabled) throw await fail('disabled', known)
  const counter = verified.authenticationInfo.newCounter
  const [counted] = await countUse(db, { id: credential.id, counter, now: now() })
  if (!counted) throw await fail('counter', known)
  return known
}
