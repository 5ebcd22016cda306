import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { createLink, deleteLinks } from '../accounts/links.ts'
import { findLoginByEmail } from '../accounts/logins.ts'
import { endSessions } from '../accounts/sessions.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { setupUrl } from './set-up-login.ts'

/** For the commands of the operator: the actor in the audit log. */
const COMMAND_LINE = 'command line'

interface LoginRow {
  id: string
  email: string
  name: string | null
  teams: string[]
  has_password: boolean
  has_totp: boolean
  passkeys: number
  disabled_at: Date | null
  last_login_at: Date | null
}

/** All logins, by e-mail address. */
export const listLogins = query<void, LoginRow>(
  'list-logins',
  `select
    id, email, name, password_hash is not null as has_password, totp_secret is not null as has_totp, disabled_at, last_login_at,
    array(
      select teams.name
      from users
      join teams on teams.id = users.team_id
      where users.login_id = logins.id
      order by teams.name, teams.id
    ) as teams,
    (select count(*)::int from passkeys where login_id = logins.id) as passkeys
  from logins
  order by email`,
)

const findWaitingUser = query<{ email: string }, { id: string }>(
  'find-user-without-login',
  'select id from users where email = :email and login_id is null limit 1',
)

const setDisabled = query<{ id: string; disabledAt: Date | null }, { id: string }>(
  'set-login-disabled',
  'update logins set disabled_at = :disabledAt where id = :id returning id',
)

/** The person knows their links. */
const deleteInvitationsOf = query<{ loginId: string }>(
  'delete-invitations-of-login',
  'delete from invitations where user_id in (select id from users where login_id = :loginId)',
)

async function loginOf(db: Queryable, email: string) {
  const [login] = await findLoginByEmail(db, { email: email.toLowerCase() })
  if (!login) throw new AppError('not_found', `Nobody signs in as ${email}`)
  return login
}

/**
 * Makes a link that lets a person back in: for a login, one that replaces the password and removes the second factor; for a user
 * without a login, one to set it up. Links that were made before stop working.
 * @throws AppError `not_found` for an unknown address
 */
export async function makeLoginLink(
  db: Db,
  { baseUrl }: { baseUrl: string },
  given: string,
  now: Date,
): Promise<{ email: string; purpose: 'recover' | 'setup'; url: string }> {
  const email = given.toLowerCase()
  const [login] = await findLoginByEmail(db, { email })
  if (login) {
    if (login.disabledAt) throw new AppError('forbidden', `The login ${email} is disabled: enable it first`)
    const secret = await db.begin(async tx => {
      const made = { loginId: login.id, name: COMMAND_LINE, network: '', details: { email } }
      await recordLoginEntry(tx, { action: 'login.reset_request', ...made }, now)
      return createLink(tx, 'recover', { email: null, loginId: login.id }, now)
    })
    return { email, purpose: 'recover', url: `${baseUrl}/reset#${secret}` }
  }
  const [user] = await findWaitingUser(db, { email })
  if (!user) throw new AppError('not_found', `No login and no user of a team has the address ${given}`)
  return { email, purpose: 'setup', url: await setupUrl(db, { baseUrl }, email, now) }
}

/** Ends all sessions of a login and the invitations that it sent, and refuses new sessions and its tokens. @throws AppError `not_found` */
export async function disableLogin(db: Db, email: string, now: Date) {
  const { id, disabledAt } = await loginOf(db, email)
  const ended = await db.begin(async tx => {
    // Signing in locks the row of the login: a session that begins at the same time is seen by the next statement.
    await setDisabled(tx, { id, disabledAt: disabledAt ?? now })
    await deleteLinks(tx, { email: null, loginId: id })
    await deleteInvitationsOf(tx, { loginId: id })
    const sessions = await endSessions(tx, { loginId: id, id: null, exceptId: null })
    if (!disabledAt) await recordChange(tx, id, 'disabled', now)
    return sessions
  })
  return { id, disabled: true, ended_sessions: ended.length }
}

/** @throws AppError `not_found` */
export async function enableLogin(db: Db, email: string, now: Date) {
  const { id, disabledAt } = await loginOf(db, email)
  await db.begin(async tx => {
    await setDisabled(tx, { id, disabledAt: null })
    if (disabledAt) await recordChange(tx, id, 'enabled', now)
  })
  return { id, disabled: false }
}

const recordChange = (db: Queryable, loginId: string, change: string, now: Date) =>
  recordLoginEntry(
    db,
    { action: 'login.change', loginId, name: COMMAND_LINE, network: '', details: { change } },
    now,
  )
