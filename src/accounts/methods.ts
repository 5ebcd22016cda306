import { isIP } from 'node:net'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { flag, label } from '../schema/fields.ts'

export const SignInMethods = z
  .object({
    password: flag('With e-mail address and password.', true),
    passkeys: flag('With a passkey.', true),
    single_sign_on: z
      .object({ name: label('What its button says.', 'Company account') })
      .nullable()
      .meta({ description: 'With the single sign-on of an organisation; null without.' }),
    has_mail: flag('The service can mail a link for a new password.', true),
  })
  .meta({ id: 'SignInMethods' })
export type SignInMethods = z.infer<typeof SignInMethods>

export function signInMethods({ hasPasswords, oidc, mail, baseUrl }: Config): SignInMethods {
  return {
    password: hasPasswords,
    passkeys: hasPasswords && canHavePasskeys(baseUrl),
    single_sign_on: oidc ? { name: oidc.name } : null,
    has_mail: hasPasswords && mail !== undefined,
  }
}

/** Browsers have passkeys for hosts with a name, over https or on this machine. */
function canHavePasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  if (isIP(hostname) > 0 || hostname.startsWith('[')) return false
  return protocol === 'https:' || /(^|\.)localhost$/.test(hostname)
}
