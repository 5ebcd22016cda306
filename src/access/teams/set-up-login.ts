import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { invalidField } from '../../platform/errors.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import type { SetUpLogin } from '../accounts/account-schema.ts'
import { beginSession } from '../accounts/begin-session.ts'
import { createLink, findLink, takeLink } from '../accounts/links.ts'
import { createLogin } from '../accounts/logins.ts'
import { hashPassword, refuseCommonPassword } from '../accounts/passwords.ts'
import { proveAddress } from '../accounts/proven-address.ts'
import { requirePasswords, type SignInServices, type Visitor } from '../accounts/sign-in.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { ADDRESS_TAKEN, renameUsers, requireFreeAddress } from './account.ts'

/** E-mail address of the first owner until they set up their login, when they choose their own. */
export const FIRST_OWNER = 'owner@localhost'

/** Makes the memberships with an e-mail address that no person has set up those of a login. Only a link that was opened may do so. */
export const joinMemberships = query<{ loginId: string; email: string }, { id: string }>(
  'join-memberships',
  `update users
  set login_id = :loginId
  where
    email = :email
    and login_id is null
    and not exists (select from users as own where own.login_id = :loginId and own.team_id = users.team_id)
  returning id`,
)

/**
 * Makes the login of the person who opened a setup link, joins the memberships with the link's e-mail address to it, and signs them in.
 * @returns the secret for the cookie
 * @throws AppError `not_found` for a link that does not work; `validation_failed`; `rate_limited`; `forbidden`
 */
export async function setUpLogin(
  services: SignInServices,
  input: SetUpLogin,
  { browser, network }: Visitor,
): Promise<{ loginId: string; secret: string }> {
  requirePasswords(services)
  const { db, now } = services
  const attempt = await countAttempt(services, 'setup', { network })
  const link = await findLink(db, input.secret, ['setup'], now())
  const email = input.email ?? link.email
  if (email !== link.email && link.email !== FIRST_OWNER) {
    throw invalidField('email', `email must be ${link.email}, which the link is for, or left out`)
  }
  await requireFreeAddress(db, email)
  await refuseCommonPassword(input.password, email)
  const passwordHash = await hashPassword(input.password)
  const done = await db.begin(async tx => {
    await takeLink(tx, input.secret, ['setup'], now())
    const [login] = await createLogin(tx, { email, name: input.name || null, passwordHash, now: now() })
    if (!login) throw invalidField('email', ADDRESS_TAKEN)
    const loginId = login.id
    await proveAddress(tx, loginId, now())
    await joinMemberships(tx, { loginId, email: link.email })
    await renameUsers(tx, loginId, email)
    const entry = { action: 'login.setup', loginId, name: email, network: browser.network } as const
    await recordLoginEntry(tx, entry, now())
    return { loginId, secret: await beginSession(tx, services, { id: loginId, email }, browser, 'setup') }
  })
  await attempt.giveBack()
  return done
}

/** Returns the address of a new setup link for an e-mail address; those before stop working. */
export async function setupUrl(
  db: Queryable,
  { baseUrl }: { baseUrl: string },
  email: string,
  now: Date,
): Promise<string> {
  const secret = await createLink(db, 'setup', { email: email.toLowerCase(), loginId: null }, now)
  return `${baseUrl}/setup#${secret}`
}
