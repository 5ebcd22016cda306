import { z } from 'zod'
import type { Config } from '../../platform/config/config.ts'
import { flag, label } from '../../platform/schema/fields.ts'
import { passkeyObstacle } from './passkeys/relying-party.ts'

export const SignInMethods = z
  .object({
    password: flag('With e-mail address and password.', true),
    passkeys: flag('With a passkey.', true),
    single_sign_on: z
      .object({ name: label('What its button says.', 'Company account') })
      .nullable()
      .meta({ description: 'With the single sign-on of an organisation; null without.' }),
    has_mail: flag('The service sends mails, such as links for a new password.', true),
  })
  .meta({ id: 'SignInMethods' })
export type SignInMethods = z.infer<typeof SignInMethods>

export function signInMethods(config: Config): SignInMethods {
  const { hasPasswords, oidc, mail } = config
  return {
    password: hasPasswords,
    passkeys: passkeyObstacle(config) === undefined,
    single_sign_on: oidc ? { name: oidc.name } : null,
    has_mail: mail !== undefined,
  }
}
