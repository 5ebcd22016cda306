import { z } from 'zod'
import { LANGUAGES } from '../../platform/mail/languages.ts'
import { flag, timestamp } from '../../platform/schema/fields.ts'
import { mend, nameText } from '../../platform/schema/validation.ts'
import { UsePasskey } from './passkeys/passkey-schema.ts'
import { GivenPassword, NewPassword } from './passwords.ts'
import { TOTP_SECRET_FORM } from './totp.ts'

const MAX_EMAIL = 255

/** An e-mail address as it is given: lower case in the output, as it is stored. */
export const EmailAddress = z
  .string()
  .overwrite(value => mend(value).trim().toLowerCase())
  .refine(value => value.length <= MAX_EMAIL && /^[^\s@]+@[^\s@]+$/.test(value), 'must be an e-mail address')
  .meta({ description: 'E-mail address.', example: 'ada@example.com', maxLength: MAX_EMAIL })

export const personName = nameText(100).meta({
  description: 'Name of the person.',
  example: 'Ada Lovelace',
  maxLength: 100,
})

/** Longer than any code, with room for spaces and hyphens. */
const MAX_CODE = 64
const code = z.string().max(MAX_CODE)

export const SignIn = z.object({
  email: EmailAddress,
  password: GivenPassword,
  code: code.optional().meta({
    description: 'Code of the authenticator app, or a recovery code; for a login with a second factor.',
    example: '123456',
  }),
})

const linkSecret = z.string().max(200).meta({
  description: 'What follows `#` in the link.',
  example: 'Zk3wV1oT5nQ0xJ7uB8rY2mL4sD6fG9hK1pC3vN5qE7w',
})

export const LinkSecret = z.object({ secret: linkSecret })

export const SetUpLogin = z.object({
  secret: linkSecret,
  email: EmailAddress.optional().meta({
    description:
      'E-mail address to sign in with. The one that the link is for when it is left out; only the link of the first owner may take another.',
  }),
  name: personName.optional(),
  password: NewPassword,
})
export type SetUpLogin = z.infer<typeof SetUpLogin>

export const ResetRequest = z.object({ email: EmailAddress })

export const ResetPassword = z.object({ secret: linkSecret, password: NewPassword })

/** For changes of one's own login that need a proof. */
const proof = {
  password: GivenPassword.optional().meta({
    description:
      'Your password. Left out by a login without one, which needs a sign-in of the last 15 minutes instead.',
  }),
}

export const Proof = z.object(proof)

export const ProveAgain = z
  .object({
    password: GivenPassword.optional().meta({ description: 'Your password.' }),
    code: code.optional().meta({
      description: 'With the password: code of the authenticator app, or a recovery code.',
      example: '123456',
    }),
    credential: UsePasskey.shape.credential.optional(),
  })
  .refine(({ password, credential }) => (password === undefined) !== (credential === undefined), {
    path: ['password'],
    message: 'must be given, or else credential, not both',
  })
export type ProveAgain = z.infer<typeof ProveAgain>

export const ProofState = z
  .object({
    counts_until: timestamp(
      'Until when the last proof of this session counts for making tokens, shares and invitations; may be over.',
    ),
    password: flag('Whether the password proves it.', true),
    second_factor: flag('Whether the password needs a code of the second factor, too.'),
    passkey: flag('Whether a passkey proves it.'),
  })
  .meta({ id: 'ProofState' })
export type ProofState = z.infer<typeof ProofState>

export const ChangeAccount = z.object({
  email: EmailAddress.optional(),
  name: personName.nullish().meta({ description: 'Name of the person; null or empty for none.' }),
  language: z
    .enum(LANGUAGES)
    .optional()
    .meta({ description: 'Language of mails about the login.', example: 'en' }),
  ...proof,
})
export type ChangeAccount = z.infer<typeof ChangeAccount>

export const ChangePassword = z.object({
  password: NewPassword,
  current_password: GivenPassword.optional().meta({
    description:
      'The present password. Left out by a login without one, which needs a sign-in of the last 15 minutes instead.',
  }),
})
export type ChangePassword = z.infer<typeof ChangePassword>

export const AddTotp = z.object({
  secret: z.string().regex(TOTP_SECRET_FORM, 'must be the secret of `POST /api/account/totp/secret`').meta({
    description: 'The secret that the authenticator app has.',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  }),
  code: code.meta({ description: 'The code that the app shows now.', example: '123456' }),
  ...proof,
})
export type AddTotp = z.infer<typeof AddTotp>
