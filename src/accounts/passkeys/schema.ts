import { z } from 'zod'
import { label, timestamp } from '../../schema/fields.ts'
import { requiredText } from '../../schema/validation.ts'

// The names are those of the Web Authentication standard: a page passes what its browser gives, and the other way round.

const base64url = (max: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')
    .max(max)
    .meta({ example: 'AQIDBA' })

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const

const credential = <Response extends z.ZodType>(response: Response) =>
  z
    .object({ id: base64url(2_000), rawId: base64url(2_000), type: z.literal('public-key'), response })
    .meta({ description: 'What `toJSON()` of the credential gives that the browser has returned.' })

export const AddPasskey = z.object({
  name: requiredText(100).meta({ description: 'Name to show.', example: 'Laptop' }),
  credential: credential(
    z.object({
      clientDataJSON: base64url(10_000),
      attestationObject: base64url(100_000),
      transports: z
        .array(z.string())
        .max(20)
        .transform(given => TRANSPORTS.filter(each => given.includes(each)))
        .optional()
        .meta({ description: 'How the browser can reach the authenticator.', example: ['internal'] }),
    }),
  ),
})
export type AddPasskey = z.infer<typeof AddPasskey>

export const UsePasskey = z.object({
  credential: credential(
    z.object({
      clientDataJSON: base64url(10_000),
      authenticatorData: base64url(10_000),
      signature: base64url(10_000),
      userHandle: base64url(200)
        .nullish()
        .meta({ description: 'Who the passkey is of, as the authenticator says.' }),
    }),
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

export const AddOptions = z
  .object({
    challenge,
    timeout,
    rp: z.object({ id: rpId, name: label('Name of this service.', 'Analytics') }),
    user: z.object({
      id: label('Who the passkey is of, base64url.', 'AZfQpXw-exqfWC8cTW6KkA'),
      name: label('E-mail address.', 'ada@example.com'),
      displayName: label('Name, or else the e-mail address.', 'Ada'),
    }),
    pubKeyCredParams: z
      .array(z.object({ type: z.literal('public-key'), alg: z.int().meta({ example: -7 }) }))
      .meta({ description: 'Kinds of keys, the preferred first.' }),
    excludeCredentials: z
      .array(
        z.object({ type: z.literal('public-key'), id: base64url(2_000), transports: z.array(z.string()) }),
      )
      .meta({ description: 'Passkeys that the login has.' }),
    authenticatorSelection: z.object({
      residentKey: z
        .literal('required')
        .meta({ description: 'The passkey is found without an e-mail address.' }),
      userVerification,
    }),
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
