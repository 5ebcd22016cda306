import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import type { Services } from '../../platform/services.ts'
import { type Browser, beginSession } from '../accounts/begin-session.ts'
import { createLogin, findLoginByEmail } from '../accounts/logins.ts'
import { hashPassword, refuseCommonPassword } from '../accounts/passwords.ts'
import { hashSecret, isSecret } from '../accounts/secrets.ts'
import { requireRenewal } from '../accounts/sessions.ts'
import { auditOf } from '../audit/audit.ts'
import type { Role } from './caller.ts'
import type { Person } from './credentials.ts'
import type { AcceptInvitation, FoundInvitation, JoinedTeam } from './invitation-schema.ts'
import { lockTeam } from './lock-team.ts'
import { tellOwners } from './tell-owners.ts'

type Parts = Pick<Services, 'db' | 'redis' | 'config' | 'now'>

/** Who opens an invitation: a signed-in person, or one who has no login yet. */
export interface Guest {
  person: Person | null
  browser: Browser
  /** Network that failed attempts are counted by. */
  network: string
}

interface Found {
  id: string
  teamId: string
  teamName: string
  email: string
  role: Role
  siteIds: string[] | null
  invitedBy: string
  expiresAt: Date
}

const selectInvitation = query<{ hash: Uint8Array; now: Date }, Found>(
  'find-invitation',
  `select
    invitations.id, teams.id as "teamId", teams.name as "teamName", email, role, site_ids as "siteIds",
    invited_by as "invitedBy", expires_at as "expiresAt"
  from invitations
  join teams on teams.id = invitations.team_id
  where hash = :hash and expires_at > :now and deleted_at is null`,
)

const noInvitation = () =>
  new AppError(
    'not_found',
    'The invitation does not work any more: it was used, replaced, revoked, or is too old',
  )

/** Finds the invitation of a link. @throws AppError `not_found`; `rate_limited` for a network that has tried too many unknown ones */
async function findInvitation(services: Parts, secret: string, network: string): Promise<Found> {
  const attempt = await countAttempt(services, 'invitation', { network })
  const [found] = isSecret(secret)
    ? await selectInvitation(services.db, { hash: hashSecret(secret), now: services.now() })
    : []
  if (!found) throw noInvitation()
  await attempt.giveBack()
  return found
}

/** Returns what an invitation is for. The link keeps working. Throws as `acceptInvitation`. */
export async function lookUpInvitation(
  services: Parts,
  { secret }: { secret: string },
  network: string,
): Promise<FoundInvitation> {
  const { teamName, email, role, invitedBy, expiresAt } = await findInvitation(services, secret, network)
  const [login] = await findLoginByEmail(services.db, { email })
  return {
    ...{ team_name: teamName, email, role, invited_by: invitedBy },
    expires_at: expiresAt.toISOString(),
    needs_login: login !== undefined,
  }
}

/**
 * Uses an invitation up. A signed-in person joins with their login, whatever its address; anybody else gets a login with the invited
 * address, and is signed in.
 * @returns the team, and the new login with the secret for the cookie of its session; undefined for a signed-in person
 * @throws AppError `not_found` for a link that is unknown, used, replaced, revoked or expired; `rate_limited`; `forbidden` when a login with
 * the address exists, or passwords are turned off; `validation_failed` without a password, or for a member of the team
 */
export async function acceptInvitation(
  services: Parts,
  input: AcceptInvitation,
  guest: Guest,
): Promise<{ joined: JoinedTeam; signedIn?: { loginId: string; secret: string } }> {
  const found = await findInvitation(services, input.secret, guest.network)
  return guest.person
    ? { joined: await joinAs(services, found, guest.person, guest.browser, input.secret) }
    : joinAsNew(services, found, guest.browser, input)
}

async function joinAs(
  services: Parts,
  { teamId }: Found,
  { loginId, email }: Person,
  browser: Browser,
  secret: string,
): Promise<JoinedTeam> {
  return services.db.begin(async transaction => {
    const actor = { loginId, email, browser }
    const joined = await takeInvitation(transaction, { teamId, secret }, actor, services)
    await requireRenewal(transaction, { loginId })
    return joined
  })
}

/** Another tab that has accepted the invitation meanwhile made that login: then the link is used, too. */
async function loginExists(db: Queryable, secret: string, now: Date): Promise<AppError> {
  const found = await selectInvitation(db, { hash: hashSecret(secret), now })
  if (found.length === 0) return noInvitation()
  return new AppError(
    'forbidden',
    'A login with the invited address exists: sign in first, then open the link again',
  )
}

async function joinAsNew(
  services: Parts,
  { teamId, email }: Found,
  browser: Browser,
  { secret, name, password }: AcceptInvitation,
): Promise<{ joined: JoinedTeam; signedIn: { loginId: string; secret: string } }> {
  const { db, config, now } = services
  if ((await findLoginByEmail(db, { email })).length > 0) throw await loginExists(db, secret, now())
  if (!config.hasPasswords) {
    throw new AppError(
      'forbidden',
      'Passwords are turned off here: use single sign-on, then open the link again',
    )
  }
  if (!password) throw invalidField('password', 'password is required for a new login')
  await refuseCommonPassword(password, email)
  const passwordHash = await hashPassword(password)
  return db.begin(async transaction => {
    await lockTeam(transaction, teamId)
    const at = now()
    const [login] = await createLogin(transaction, { email, name: name || null, passwordHash, now: at })
    if (!login) throw await loginExists(transaction, secret, at)
    const actor = { loginId: login.id, email, browser }
    const joined = await takeInvitation(transaction, { teamId, secret }, actor, services)
    const cookie = await beginSession(transaction, services, { id: login.id, email }, browser, 'invitation')
    return { joined, signedIn: { loginId: login.id, secret: cookie } }
  })
}

const deleteInvitation = query<{ hash: Uint8Array; now: Date }, Omit<Found, 'teamName'>>(
  'take-invitation',
  `delete from invitations
  where hash = :hash and expires_at > :now
  returning
    id, team_id as "teamId", email, role, site_ids as "siteIds", invited_by as "invitedBy", expires_at as "expiresAt"`,
)

const findMembership = query<{ teamId: string; loginId: string }, { id: string }>(
  'find-membership',
  'select id from users where team_id = :teamId and login_id = :loginId',
)

/** Returns no row when the team has a user with that address. */
const insertMembership = query<
  { teamId: string; email: string; role: Role; siteIds: string[] | null; loginId: string; now: Date },
  { id: string }
>(
  'create-membership',
  `insert into users (team_id, email, role, site_ids, login_id, created_at)
  values (:teamId, :email, :role, :siteIds, :loginId, :now)
  on conflict (team_id, email) do nothing
  returning id`,
)

/** Adds a login to the team of an invitation, which ends. Of parallel calls, one gets it. */
async function takeInvitation(
  transaction: Transaction,
  { teamId, secret }: { teamId: string; secret: string },
  { loginId, email, browser }: { loginId: string; email: string; browser: Browser },
  { config, now }: Pick<Services, 'config' | 'now'>,
): Promise<JoinedTeam> {
  const { name } = await lockTeam(transaction, teamId)
  const at = now()
  const [taken] = await deleteInvitation(transaction, { hash: hashSecret(secret), now: at })
  if (!taken) throw noInvitation()
  const { role, siteIds } = taken
  await requireNoMember(transaction, teamId, loginId)
  const [user] = await insertMembership(transaction, {
    ...{ teamId, email: taken.email, role, siteIds, loginId, now: at },
  })
  if (!user) throw invalidField('secret', `The team has a user with the address ${taken.email} already`)
  const { network } = browser
  const actor = { teamId, loginId, userId: user.id, tokenId: null, name: email, network }
  await auditOf(actor, now)(transaction, {
    action: 'user.join',
    object: { type: 'user', id: user.id },
    details: { email, role, site_ids: siteIds, invited_as: taken.email, invited_by: taken.invitedBy },
  })
  if (role === 'owner') {
    await tellOwners(transaction, { config, now }, { teamId, email, by: taken.invitedBy }, browser)
  }
  return { team_id: teamId, team_name: name, user_id: user.id, role }
}

async function requireNoMember(db: Queryable, teamId: string, loginId: string): Promise<void> {
  const members = await findMembership(db, { teamId, loginId })
  if (members.length > 0) throw invalidField('secret', 'You belong to the team already')
}
