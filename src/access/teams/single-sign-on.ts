import type { Config } from '../../platform/config/config.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { createLogin, findLogin } from '../accounts/logins.ts'
import { proveAddress } from '../accounts/proven-address.ts'
import type { Client } from '../accounts/sessions.ts'
import { useIdentity } from '../accounts/single-sign-on/identities.ts'
import { linkIdentity } from '../accounts/single-sign-on/link.ts'
import type { ProvenPerson } from '../accounts/single-sign-on/provider.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { joinAutomatically, joinByInvitations, lockInvitingTeams } from './join.ts'
import { type OpenedLink, takeOpenedLink, useOpenedLink } from './opened-link.ts'

export interface PersonLogin {
  id: string
  email: string
}

/**
 * Finds or makes the login of a person whom the provider has proved. An e-mail address that the provider has not verified decides
 * nothing, and no address ever leads to a login that exists.
 * @param options.link SHA-256, hex, of the secret of a link that the person has opened
 * @param options.origin the browser, with its network as the audit log shows it
 * @throws SsoRefusal
 */
export async function loginOfPerson(
  tx: Transaction,
  person: ProvenPerson,
  options: { link: string | undefined; origin: Client; config: Config; oidc: NonNullable<Config['oidc']> },
  now: Date,
): Promise<PersonLogin> {
  const { origin, config, oidc } = options
  const { network } = origin
  await lockInvitingTeams(tx, options.link, person.verifiedEmail)
  const [known] = await useIdentity(tx, { ...person, now })
  if (known?.isDisabled) throw disabled(known)
  const link = options.link === undefined ? undefined : await takeOpenedLink(tx, options.link, now)
  const login = known ?? (await loginOfNewcomer(tx, person, link, now))
  const { id: loginId, email } = login
  const joiner = { loginId, email, origin, config }
  if (link) await useOpenedLink(tx, joiner, link, now)
  if (known) {
    // A link of the operator may have removed it, with the others.
    if (link?.kind === 'recover') await linkIdentity(tx, loginId, person, now)
    return login
  }
  // Only a new login with a verified address gets here without a link.
  const isLetIn =
    link !== undefined ||
    (await joinByInvitations(tx, joiner, now)) ||
    (await joinAutomatically(tx, joiner, oidc.autoJoin, now))
  if (!isLetIn) throw new SsoRefusal('closed')
  await linkIdentity(tx, loginId, person, now)
  const details = { issuer: person.issuer }
  const entry = { action: 'single_sign_on.link', loginId, name: email, network, details } as const
  await recordLoginEntry(tx, entry, now)
  return login
}

/** Returns the login that a link belongs to, else a new one. */
async function loginOfNewcomer(
  tx: Transaction,
  { verifiedEmail, hasUnverifiedEmail, name }: ProvenPerson,
  link: OpenedLink | undefined,
  now: Date,
): Promise<PersonLogin> {
  if (link?.kind === 'recover') {
    const [login] = await findLogin(tx, { id: link.loginId })
    if (!login) throw new SsoRefusal('link_invalid')
    if (login.disabledAt) throw disabled(login)
    return login
  }
  const email = verifiedEmail ?? link?.email
  if (email === undefined) throw new SsoRefusal(hasUnverifiedEmail ? 'unverified_email' : 'closed')
  const [login] = await createLogin(tx, { email, name, passwordHash: null, now })
  if (!login) throw new SsoRefusal('sign_in_first')
  // The person who was shown the link of an invitation may not have its address.
  if (verifiedEmail !== null || link?.kind === 'setup') await proveAddress(tx, login.id, now)
  return { id: login.id, email }
}

const disabled = ({ id, email }: PersonLogin) => new SsoRefusal('disabled', { login: { id, email } })
