import { z } from 'zod'
import { changeLogin, type PersonRequest } from '../accounts/change-login.ts'
import { deleteLinks } from '../accounts/links.ts'
import { findLoginByEmail } from '../accounts/logins.ts'
import { requireProof } from '../accounts/proof.ts'
import type { ChangeAccount } from '../accounts/schema.ts'
import type { Queryable, Transaction } from '../db/connect.ts'
import { sqlState } from '../db/errors.ts'
import { query } from '../db/query.ts'
import { invalidField } from '../errors.ts'
import { count, flag, label, timestamp, uuid } from '../schema/fields.ts'
import type { Services } from '../services.ts'
import { ROLES, type Role } from './schema.ts'

const Membership = z.object({
  id: uuid('Team id; `X-Team` takes it.'),
  name: label('Name of the team.', 'Acme'),
  role: z.enum(ROLES).meta({ description: 'What the person may do in it.' }),
})

export const Account = z
  .object({
    id: uuid('Id of the login.'),
    email: label('E-mail address to sign in with.', 'ada@example.com'),
    name: label('Name of the person; null without one.', 'Ada Lovelace').nullable(),
    has_password: flag('The login has a password.', true),
    has_totp: flag('Signing in with the password needs a code, too.', true),
    recovery_codes: count('Recovery codes that are left.', 10),
    passkeys: count('Passkeys of the login.', 1),
    teams: z
      .array(Membership)
      .meta({ description: 'Teams of the person, in the order in which they joined.' }),
    created_at: timestamp('When the login was set up.'),
  })
  .meta({ id: 'Account' })
export type Account = z.infer<typeof Account>

interface AccountRow extends Omit<Account, 'teams' | 'created_at'> {
  created_at: Date
}

const selectAccount = query<{ loginId: string }, AccountRow>(
  'find-account',
  `select
    id, email, name, password_hash is not null as has_password, totp_secret is not null as has_totp, created_at,
    (select count(*)::int from recovery_codes where login_id = logins.id) as recovery_codes,
    (select count(*)::int from passkeys where login_id = logins.id) as passkeys
  from logins
  where id = :loginId`,
)

const selectTeams = query<{ loginId: string }, { id: string; name: string; role: Role }>(
  'list-teams-of-login',
  `select teams.id, teams.name, users.role
  from users
  join teams on teams.id = users.team_id
  where users.login_id = :loginId
  order by users.created_at, users.id`,
)

/** Returns what a person sees of their own login. */
export async function getAccount({ db }: Pick<Services, 'db'>, loginId: string): Promise<Account> {
  const [[row], teams] = await Promise.all([selectAccount(db, { loginId }), selectTeams(db, { loginId })])
  return { ...row!, teams, created_at: row!.created_at.toISOString() }
}

const setLogin = query<{ loginId: string; email: string; name: string | null }>(
  'change-login',
  `update logins
  set email = :email, name = :name, email_proven_at = case when email = :email then email_proven_at end
  where id = :loginId`,
)

/** A team that has the address already, for a user whose login is not set up, keeps the old one: the team shows that of the login. */
const setUserEmails = query<{ loginId: string; email: string }>(
  'change-user-emails',
  `update users
  set email = :email
  where
    login_id = :loginId
    and not exists (select from users as other where other.team_id = users.team_id and other.email = :email)`,
)

export const ADDRESS_TAKEN = 'email belongs to another login'

/** @throws AppError `validation_failed` when another login has the address, which is in lower case */
export async function requireFreeAddress(db: Queryable, email: string): Promise<void> {
  const [other] = await findLoginByEmail(db, { email })
  if (other) throw invalidField('email', ADDRESS_TAKEN)
}

const UNIQUE_VIOLATION = '23505'

/** Makes the memberships of a login show its e-mail address. */
export const renameUsers = (tx: Transaction, loginId: string, email: string) =>
  setUserEmails(tx, { loginId, email })

/**
 * Changes the name or the e-mail address of the person; a new address needs a proof.
 * @throws AppError `validation_failed` when another login has the address
 */
export async function changeAccount(
  request: Pick<Services, 'db' | 'redis' | 'config' | 'now'> &
    PersonRequest & { person: { name: string | null } },
  input: ChangeAccount,
): Promise<Account> {
  const { person, db } = request
  const { loginId } = person
  const email = input.email ?? person.email
  const name = input.name === undefined ? person.name : input.name || null
  const isMoved = email !== person.email
  const fields = [...(isMoved ? ['email'] : []), ...(name === person.name ? [] : ['name'])]
  if (fields.length === 0) return getAccount(request, loginId)
  if (isMoved) {
    await requireProof(request, person, input.password)
    await requireFreeAddress(db, email)
  }
  try {
    await changeLogin(request, request, { action: 'login.change', details: { fields } }, async tx => {
      await setLogin(tx, { loginId, email, name })
      if (!isMoved) return
      await renameUsers(tx, loginId, email)
      // A link that was mailed to the old address must not replace the password any more.
      await deleteLinks(tx, { email: null, loginId })
    })
  } catch (error) {
    // Another login took the address at the same moment.
    if (sqlState(error) === UNIQUE_VIOLATION) throw invalidField('email', ADDRESS_TAKEN)
    throw error
  }
  return getAccount(request, loginId)
}
