import { query } from '../../../platform/db/query.ts'
import { AppError, invalidField } from '../../../platform/errors.ts'
import type { Services } from '../../../platform/services.ts'
import { changeLogin, type PersonRequest } from '../change-login.ts'
import { requireProof } from '../proof.ts'
import { CHALLENGE_MS, newChallenge, takeChallenge } from './challenges.ts'
import type { AddOptions, AddPasskey, Passkey } from './passkey-schema.ts'
import { listPasskeys, namesOfPasskeys } from './passkeys.ts'
import { relyingParty } from './relying-party.ts'
import { handleOf } from './user-handle.ts'

/** EdDSA, ES256, RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257]
const MAX_PASSKEYS = 20

type Request = Pick<Services, 'db' | 'redis' | 'config' | 'now'> & PersonRequest

/**
 * Returns what a page passes to `navigator.credentials.create`.
 * @throws AppError `forbidden` as `requireProof`, where passkeys are not offered, and when the login has as many as it may have
 */
export async function offerPasskey(
  request: Request & { person: { name: string | null } },
  password: string | undefined,
): Promise<AddOptions> {
  const { db, redis, config, person } = request
  const { id } = relyingParty(config)
  await requireProof(request, person, password)
  const existing = await listPasskeys(db, { loginId: person.loginId })
  requireRoom(existing)
  const challenge = await newChallenge(redis, { sessionId: person.sessionId, is: 'add' })
  return {
    challenge: Buffer.from(challenge).toString('base64url'),
    timeout: CHALLENGE_MS,
    rp: { id, name: 'Analytics' },
    user: {
      id: handleOf(person.loginId),
      name: person.email,
      displayName: person.name ?? person.email,
    },
    pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
    excludeCredentials: namesOfPasskeys(existing),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  }
}

/** @throws AppError `forbidden` */
function requireRoom(existing: unknown[]): void {
  if (existing.length < MAX_PASSKEYS) return
  throw new AppError('forbidden', `The login has ${MAX_PASSKEYS} passkeys, as many as one may have`)
}

interface NewPasskey {
  id: string
  loginId: string
  name: string
  publicKey: Uint8Array
  counter: number
  transports: string[]
  now: Date
}

const insertPasskey = query<NewPasskey, { created_at: Date }>(
  'add-passkey',
  `insert into passkeys (id, login_id, name, public_key, counter, transports, created_at)
  values (:id, :loginId, :name, :publicKey, :counter, :transports, :now)
  on conflict (id) do nothing
  returning created_at`,
)

/**
 * Stores the passkey that an authenticator has made for a challenge of `offerPasskey` in the same session.
 * @throws AppError `validation_failed` when it was not made for that challenge, this service or a person whom it has verified
 */
export async function addPasskey(request: Request, { name, credential }: AddPasskey): Promise<Passkey> {
  const { redis, config, now, person } = request
  const { loginId, sessionId } = person
  const { id: rpId, origin } = relyingParty(config)
  const { response } = credential
  const challenge = await takeChallenge(redis, { sessionId, is: 'add' }, response.clientDataJSON)
  if (challenge === undefined) {
    throw invalidField(
      'credential',
      'The time to add the passkey is over, or it was added before; start again',
    )
  }
  // Loaded at its first use: it takes 200 ms of CPU, which every start of a worker would pay.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...credential,
      response: {
        clientDataJSON: response.clientDataJSON,
        attestationObject: await withoutStatement(response.attestationObject),
      },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => {
    throw unverified()
  })
  if (!registrationInfo || registrationInfo.credential.id !== credential.id) throw unverified()
  const { publicKey, counter } = registrationInfo.credential
  const added = { id: credential.id, loginId, name, publicKey, counter, now: now() }
  const done = { action: 'passkey.add', details: { name }, notice: { kind: 'passkey', name } } as const
  const row = await changeLogin(request, request, done, async tx => {
    // Again, with the login locked: more challenges may be out than there is room.
    requireRoom(await listPasskeys(tx, { loginId }))
    const [made] = await insertPasskey(tx, { ...added, transports: response.transports ?? [] })
    if (!made) throw invalidField('credential', 'This passkey was added before')
    return made
  })
  return { id: credential.id, name, last_used_at: null, created_at: row.created_at.toISOString() }
}

const unverified = () =>
  invalidField(
    'credential',
    'The passkey was not made for this request, or its authenticator did not verify the person',
  )

/**
 * Returns the attestation without what it says about the make of the authenticator. It is not asked for, and to check it the library
 * would fetch from addresses that stand in certificates of the sender.
 */
async function withoutStatement(attestation: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers')
  try {
    const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestation)).get('authData')
    const plain = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return isoBase64URL.fromBuffer(isoCBOR.encode(plain as Parameters<typeof isoCBOR.encode>[0]))
  } catch {
    throw unverified()
  }
}
