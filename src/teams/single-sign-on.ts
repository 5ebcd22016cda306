import { createLogin, findLogin } from '../accounts/logins.ts'
import { useIdentity } from '../accounts/single-sign-on/identities.ts'
import { linkIdentity } from '../accounts/single-sign-on/link.ts'
import type { ProvenPerson } from '../accounts/single-sign-on/provider.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import { auditOf } from '../audit/audit.ts'
import type { Transaction } from '../db/connect.ts'
import type { Services } from '../services.ts'
import { joinAutomatically, joinByInvitations } from './join.ts'
import { type OpenedLink, takeOpenedLink, useOpenedLink } from './opened-link.ts'

/**
 * Finds or makes the login of a person whom the provider has proved. An e-mail address that the provider has not verified decides
 * nothing, and no address ever leads to a login that exists.
 * @param options.link SHA-256, hex, of the secret of a link that the person has opened
 * @param options.network of the browser, as the audit log shows it
 * @returns id of the login
 * @throws SsoRefusal
 */
export function loginOfPerson(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  person: ProvenPerson,
  { link: hash, network }: { link: string | undefined; network: string },
): Promise<string> {
  return db.begin(async tx => {
    const at = now()
    const [known] = await useIdentity(tx, { ...person, now: at })
    if (known?.isDisabled) throw disabled(known.loginId, known.email)
    const link = hash === undefined ? undefined : await takeOpenedLink(tx, hash, at)
    const login = known ?? (await loginOfNewcomer(tx, person, link, at))
    const { loginId, email } = login
    const audit = auditOf({ ...NO_TEAM, loginId, name: email, network }, now)
    if (link) await useOpenedLink(tx, audit, login, link)
    if (known) return loginId
    // Only a verified address gets here without a link, and only with a new login.
    const isLetIn =
      link !== undefined ||
      (await joinByInvitations(tx, audit, login, at)) ||
      (await joinAutomatically(tx, audit, login, config.oidc?.autoJoin))
    if (!isLetIn) throw new SsoRefusal('closed')
    await linkIdentity(tx, audit, loginId, person, at)
    return loginId
  }) as Promise<string>
}

const NO_TEAM = { teamId: null, userId: null, tokenId: null }

/** Returns the login that a link belongs to, else a new one. */
async function loginOfNewcomer(
  tx: Transaction,
  { verifiedEmail, hasUnverifiedEmail, name }: ProvenPerson,
  link: OpenedLink | undefined,
  now: Date,
): Promise<{ loginId: string; email: string }> {
  if (link?.kind === 'recover') {
    const [login] = await findLogin(tx, { id: link.loginId })
    if (!login) throw new SsoRefusal('link_invalid')
    if (login.disabledAt) throw disabled(login.id, login.email)
    return { loginId: login.id, email: login.email }
  }
  const email = verifiedEmail ?? link?.email
  if (email === undefined) throw new SsoRefusal(hasUnverifiedEmail ? 'unverified_email' : 'closed')
  const [login] = await createLogin(tx, { email, name, passwordHash: null, now })
  if (!login) throw new SsoRefusal('sign_in_first')
  return { loginId: login.id, email }
}

const disabled = (id: string, email: string) => new SsoRefusal('disabled', { login: { id, email } })
