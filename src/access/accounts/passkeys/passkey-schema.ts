import { z } from 'zod'
import { label, timestamp } from '../../../platform/schema/fields.ts'
import { requiredName } from '../../../platform/schema/validation.ts'

// The names are those of the Web Authentication standard: a page passes what its browser gives, and the other way round.

const base64url = (max: number, description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')
    .max(max)
    .meta({ description, example: 'AQIDBA' })

const credentialType = z.literal('public-key').meta({ description: 'A fixed value.' })
const CLIENT_DATA = 'What the browser has passed to the authenticator, with challenge and origin.'
const RESPONSE = 'What the authenticator answered.'

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

/** Browsers add fields of their own. */
const credential = <Response extends z.ZodType>(response: Response) =>
  z
    .looseObject({
      id: base64url(2_000, 'Id of the passkey.'),
      rawId: base64url(2_000, 'The same.'),
      type: credentialType,
      response,
    })
    .meta({ description: 'What `toJSON()` of the credential gives that the browser has returned.' })

export const AddPasskey = z.object({
  name: requiredName(100).meta({ description: 'Name to show.', example: 'Laptop' }),
  credential: credential(
    z
      .looseObject({
        clientDataJSON: base64url(10_000, CLIENT_DATA),
        attestationObject: base64url(100_000, 'The new passkey with its public key.'),
        transports: z
          .array(z.string())
          .max(20)
          .transform(given => TRANSPORTS.filter(each => given.includes(each)))
          .optional()
          .meta({ description: 'How the browser can reach the authenticator.', example: ['internal'] }),
      })
      .meta({ description: RESPONSE }),
  ),
})
export type AddPasskey = z.infer<typeof AddPasskey>

export const UsePasskey = z.object({
  credential: credential(
    z
      .looseObject({
        clientDataJSON: base64url(10_000, CLIENT_DATA),
        authenticatorData: base64url(10_000, 'Host, counter, and whether the person was verified.'),
        signature: base64url(10_000, 'Of the client data and the data of the authenticator.'),
        userHandle: base64url(200, 'Who the passkey is of, as the authenticator says.').nullish(),
      })
      .meta({ description: RESPONSE }),
  ),
})
export type UsePasskey = z.infer<typeof UsePasskey>

const challenge = label(
  '32 random bytes, base64url, valid once within five minutes.',
  'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
)
const timeout = z.int().meta({ description: 'Milliseconds that the person has.', example: 300_000 })
const userVerification = z
  .literal('required')
  .meta({ description: 'The authenticator checks who the person is.' })
const rpId = label('Host of this service.', 'analytics.example.com')

export const UseOptions = z
  .object({ challenge, rpId, timeout, userVerification })
  .meta({ id: 'PasskeyRequestOptions' })
export type UseOptions = z.infer<typeof UseOptions>

const namedPasskeys = z.array(
  z.object({
    type: credentialType,
    id: base64url(2_000, 'Id of the passkey.'),
    transports: z.array(z.string()).meta({ description: 'How its authenticator can be reached.' }),
  }),
)

/** Names the passkeys of the person who is signed in. */
export const ProofOptions = UseOptions.extend({
  allowCredentials: namedPasskeys.meta({ description: 'Passkeys of the login; one of them signs.' }),
}).meta({ id: 'PasskeyProofOptions' })
export type ProofOptions = z.infer<typeof ProofOptions>

export const AddOptions = z
  .object({
    challenge,
    timeout,
    rp: z
      .object({ id: rpId, name: label('Name of this service.', 'Analytics') })
      .meta({ description: 'This service.' }),
    user: z
      .object({
        id: label('Who the passkey is of, base64url.', 'AZfQpXw-exqfWC8cTW6KkA'),
        name: label('E-mail address.', 'ada@example.com'),
        displayName: label('Name, or else the e-mail address.', 'Ada'),
      })
      .meta({ description: 'Who the passkey will be of.' }),
    pubKeyCredParams: z
      .array(
        z.object({
          type: credentialType,
          alg: z.int().meta({ description: 'COSE number of the algorithm.', example: -7 }),
        }),
      )
      .meta({ description: 'Kinds of keys, the preferred first.' }),
    excludeCredentials: namedPasskeys.meta({ description: 'Passkeys that the login has.' }),
    authenticatorSelection: z
      .object({
        residentKey: z
          .literal('required')
          .meta({ description: 'The passkey is found without an e-mail address.' }),
        userVerification,
      })
      .meta({ description: 'What the authenticator must be able to do.' }),
    attestation: z.literal('none').meta({ description: 'The make of the authenticator is not asked for.' }),
  })
  .meta({ id: 'PasskeyCreationOptions' })
export type AddOptions = z.infer<typeof AddOptions>

export const Passkey = z
  .object({
    id: label('Id of the passkey, base64url.', 'q83vEjRWeJCrze8SNFZ4kA'),
    name: label('Name to show.', 'Laptop'),
    last_used_at: timestamp('When it was last signed in with; null for never.').nullable(),
    created_at: timestamp('When it was added.'),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>
