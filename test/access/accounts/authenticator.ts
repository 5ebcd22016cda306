import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** What an authenticator puts together; each part can be made wrong. */
export interface Made {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  counter?: number
  /** Without it the authenticator has not verified the person. */
  isVerified?: boolean
  userHandle?: string | null
  key?: KeyObject
  /** Statement about its make, with its format. */
  statement?: { fmt: string; attStmt: Map<string, unknown> }
}

interface Options {
  challenge: string
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (text: Uint8Array | string) => createHash('sha256').update(text).digest()

/** An authenticator with one passkey (ES256), which obeys the options of the service unless a test says otherwise. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = 0
  let userHandle: string | undefined

  const clientData = (type: string, { challenge }: Options, made: Made) =>
    JSON.stringify({
      type: made.type ?? type,
      challenge: made.challenge ?? challenge,
      origin: made.origin ?? origin,
      crossOrigin: false,
    })

  function authenticatorData(rpId: string, made: Made, attested?: Buffer): Buffer {
    counter = made.counter ?? counter + 1
    const flags = 0x01 | (made.isVerified === false ? 0 : 0x04) | (attested ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([
      sha256(made.rpId ?? rpId),
      Buffer.from([flags]),
      count,
      attested ?? Buffer.alloc(0),
    ])
  }

  function attestedKey(): Buffer {
    const { x, y } = publicKey.export({ format: 'jwk' })
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    return Buffer.concat([Buffer.alloc(16), length, id, cbor(key)])
  }

  const shell = <Response>(response: Response) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  return {
    id: base64url(id),
    /** Makes its passkey. */
    create(options: Options, made: Made = {}) {
      userHandle = options.user!.id
      const authData = new Uint8Array(authenticatorData(options.rp!.id, made, attestedKey()))
      const { fmt, attStmt } = made.statement ?? { fmt: 'none', attStmt: new Map() }
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ])
      return shell({
        clientDataJSON: base64url(clientData('webauthn.create', options, made)),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal', 'a kind of tomorrow'],
      })
    },
    /** Signs a challenge with its passkey. */
    get(options: Options, made: Made = {}) {
      const data = clientData('webauthn.get', options, made)
      const authData = authenticatorData(options.rpId!, made)
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), made.key ?? privateKey)
      return shell({
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        userHandle: made.userHandle === undefined ? userHandle : made.userHandle,
      })
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>

const cbor = (value: Map<never, unknown> | Map<string, unknown> | Map<number, unknown>) =>
  Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]))
