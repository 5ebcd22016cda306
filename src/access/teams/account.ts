import { z } from 'zod'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { sqlState } from '../../platform/db/database-errors.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import { LANGUAGES, type Language } from '../../platform/mail/languages.ts'
import { sendMail } from '../../platform/mail/send.ts'
import { count, flag, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import type { Services } from '../../platform/services.ts'
import type { ChangeAccount } from '../accounts/account-schema.ts'
import { changeLogin, type PersonRequest } from '../accounts/change-login.ts'
import { createLink, deleteAddressLink, deleteLinks, takeLink } from '../accounts/links.ts'
import { findLogin, findLoginByEmail } from '../accounts/logins.ts'
import { confirmationOf, queueNotice, tellLogin } from '../accounts/notices/notices.ts'
import { requireProof } from '../accounts/proof.ts'
import { requireRenewal } from '../accounts/sessions.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { ROLES, type Role } from './caller.ts'
import { mayMailToOthers } from './mail-invitation.ts'

const Membership = z.object({
  id: uuid('Team id; `X-Team` takes it.'),
  name: label('Name of the team.', 'Acme'),
  role: z.enum(ROLES).meta({ description: 'What the person may do in it.' }),
})

export const Account = z
  .object({
    id: uuid('Id of the login.'),
    email: label('E-mail address to sign in with.', 'ada@example.com'),
    pending_email: label(
      'New address that waits for its confirmation; null without one.',
      'ada@new.example.com',
    ).nullable(),
    name: label('Name of the person; null without one.', 'Ada Lovelace').nullable(),
    language: z.enum(LANGUAGES).nullable().meta({
      description: 'Language of mails about the login; null: not known yet, and English.',
      example: 'en',
    }),
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

const selectAccount = query<{ loginId: string; now: Date }, AccountRow>(
  'find-account',
  `select
    id, email, name, language, password_hash is not null as has_password, totp_secret is not null as has_totp, created_at,
    (select count(*)::int from recovery_codes where login_id = logins.id) as recovery_codes,
    (select count(*)::int from passkeys where login_id = logins.id) as passkeys,
    (
      select new_email from one_time_links where login_id = logins.id and purpose = 'address' and expires_at > :now
    ) as pending_email
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
export async function getAccount(
  { db, now }: Pick<Services, 'db' | 'now'>,
  loginId: string,
): Promise<Account> {
  const [[row], teams] = await Promise.all([
    selectAccount(db, { loginId, now: now() }),
    selectTeams(db, { loginId }),
  ])
  return { ...row!, teams, created_at: row!.created_at.toISOString() }
}

const setLogin = query<{ loginId: string; name: string | null; language: Language | null }>(
  'change-login',
  'update logins set name = :name, language = :language where id = :loginId',
)

/** `provenAt`: when the person of the login has shown that the address is theirs. */
const setAddress = query<{ loginId: string; email: string; provenAt: Date | null }>(
  'change-login-address',
  'update logins set email = :email, email_proven_at = :provenAt where id = :loginId',
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

type Request = Pick<Services, 'db' | 'redis' | 'config' | 'log' | 'now'> &
  PersonRequest & { person: { name: string | null } }

/**
 * Changes the name, the language or the e-mail address of the person. A new address needs a proof, and counts as soon as it is confirmed with the
 * link that is mailed to it; where the service sends no mail, at once. The present address takes one back that waits.
 * @throws AppError `validation_failed` when another login has the address; `rate_limited`; `unavailable` when the mail server does not take
 * the mail to it: nothing changes then
 */
export async function changeAccount(request: Request, input: ChangeAccount): Promise<Account> {
  const { person, db, config } = request
  const { loginId } = person
  const { email = person.email } = input
  const isMoved = email !== person.email
  if (isMoved) {
    await requireProof(request, person, input.password)
    await requireFreeAddress(db, email)
    if (config.mail) await askAddress(request, email)
  } else if (input.email !== undefined) await deleteAddressLink(db, { loginId })
  await changeFields(request, input, isMoved && !config.mail ? email : undefined)
  return getAccount(request, loginId)
}

/** @param email new address that counts at once; undefined for none */
async function changeFields(request: Request, input: ChangeAccount, email: string | undefined) {
  const { loginId, name: nameBefore } = request.person
  const [login] = await findLogin(request.db, { id: loginId })
  const name = input.name === undefined ? nameBefore : input.name || null
  const language = input.language ?? login?.language ?? null
  const fields = [
    ...(email === undefined ? [] : ['email']),
    ...(name === nameBefore ? [] : ['name']),
    ...(language === (login?.language ?? null) ? [] : ['language']),
  ]
  if (fields.length === 0) return
  await ifFree(() =>
    changeLogin(request, request, { action: 'login.change', details: { fields } }, async tx => {
      await setLogin(tx, { loginId, name, language })
      if (email !== undefined) await moveLogin(tx, loginId, email, null)
    }),
  )
}

/** Runs a change of an address. @throws AppError `validation_failed` when another login took it at the same moment */
async function ifFree<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw invalidField('email', ADDRESS_TAKEN)
    throw error
  }
}

async function moveLogin(tx: Transaction, loginId: string, email: string, provenAt: Date | null) {
  await setAddress(tx, { loginId, email, provenAt })
  await renameUsers(tx, loginId, email)
  // A link that was mailed to the old address must not replace the password any more.
  await deleteLinks(tx, { email: null, loginId })
}

/** Mails the link that confirms a new address to it, in place of one before, and tells the present one. */
async function askAddress(request: Request, email: string): Promise<void> {
  const { db, config, now, person, auditNetwork, userAgent } = request
  const { loginId } = person
  const [login] = await findLogin(db, { id: loginId })
  if (!(await mayMailToOthers(db, loginId, now()))) {
    throw new AppError(
      'rate_limited',
      'Your login has asked for as many mails as it may on one day; try again tomorrow',
      {
        retryAfter: Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1000),
      },
    )
  }
  const secret = await changeLogin(request, request, { action: 'login.address_request' }, tx =>
    createLink(tx, 'address', { email: null, loginId, newEmail: email }, now()),
  )
  const mail = confirmationOf(config, { email: person.email, language: login?.language ?? null }, secret)
  if (!(await sendMail(request, { to: email, ...mail }))) {
    await deleteAddressLink(db, { loginId })
    throw new AppError(
      'unavailable',
      'The mail server has not taken the mail to the new address, so that nothing has changed; try again shortly',
      { retryAfter: 60 },
    )
  }
  const notice = { kind: 'address_asked', address: email } as const
  await tellLogin(db, request, loginId, { notice, origin: { userAgent, network: auditNetwork } })
}

/**
 * Makes the new address of a login count, with the link that was mailed to it. Its person need not be signed in.
 * @param request.person who is signed in with the browser. Only when it is the person of the login, the address counts as theirs: the mail may
 * have gone to a stranger, who has followed the link by mistake
 * @returns `isOwn`: whether it is
 * @throws AppError `not_found` for a link that does not work; `validation_failed` when another login has the address by now; `rate_limited`
 */
export async function confirmAddress(
  request: Pick<Services, 'db' | 'redis' | 'config' | 'now'> &
    Pick<PersonRequest, 'auditNetwork' | 'userAgent'> & {
      network: string
      person: { loginId: string } | null
    },
  { secret }: { secret: string },
): Promise<{ email: string; isOwn: boolean }> {
  const { db, now, auditNetwork: network, userAgent, person } = request
  const attempt = await countAttempt(request, 'address', { network: request.network })
  const confirmed = await ifFree(() =>
    db.begin(async tx => {
      const at = now()
      const { email, loginId } = await takeLink(tx, secret, ['address'], at)
      const [before] = await findLogin(tx, { id: loginId! })
      const { id, email: name, language } = before!
      await requireFreeAddress(tx, email)
      const isOwn = person?.loginId === id
      await moveLogin(tx, id, email, isOwn ? at : null)
      await requireRenewal(tx, { loginId: id })
      const details = { fields: ['email'] }
      await recordLoginEntry(tx, { action: 'login.change', loginId: id, name, network, details }, at)
      const notice = { kind: 'address', before: name, address: email } as const
      const both = [name, email].map(address => ({ email: address, language }))
      await queueNotice(tx, request, both, { notice, origin: { userAgent, network } })
      return { email, isOwn }
    }),
  )
  await attempt.giveBack()
  return confirmed
}
