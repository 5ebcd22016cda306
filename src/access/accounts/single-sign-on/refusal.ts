/** Why signing in with single sign-on failed: what the page `/login` gets as `#error=`, with what is logged. The only such table. */
export const SSO_ERRORS = {
  expired: 'the browser has no running sign-in, or it took too long',
  refused: 'the provider refused the person',
  invalid: 'the answer of the provider did not pass the checks',
  unavailable: 'the provider could not be reached',
  closed: 'nobody has invited the person',
  unverified_email: 'the provider has not verified the e-mail address',
  sign_in_first: 'a login has the e-mail address: sign in to it and link single sign-on there',
  setup_first: 'a user of the team has the e-mail address: it is set up with its link',
  disabled: 'the login is disabled',
  link_invalid: 'the link was used, has expired or never existed',
  linked_elsewhere: 'another login is linked to this person at the provider',
  session_ended: 'the session that wanted to link has ended',
} as const
export type SsoError = keyof typeof SSO_ERRORS

/** A sign-in that does not come about. */
export class SsoRefusal extends Error {
  readonly code: SsoError
  /** For the log: a code of the library, never a text of the provider. */
  readonly detail: string | undefined
  /** The login that was refused, where it is known. */
  readonly login: { id: string; email: string } | undefined

  constructor(code: SsoError, { detail, login }: Partial<Pick<SsoRefusal, 'detail' | 'login'>> = {}) {
    super(SSO_ERRORS[code])
    this.name = 'SsoRefusal'
    this.code = code
    this.detail = detail
    this.login = login
  }
}
