import { validate as isUuid } from 'uuid'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import type { Audit } from '../audit/audit.ts'
import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { findTeamNamed } from './accounts.ts'
import type { Role } from './schema.ts'

/** An invitation, or the rule by which everybody of the provider joins: then without an id. */
export interface Invited {
  id?: string
  teamId: string
  email: string
  role: Role
  siteIds: string[] | null
}

const findOwnUser = query<{ loginId: string; teamId: string }, { id: string }>(
  'find-user-of-login',
  'select id from users where login_id = :loginId and team_id = :teamId',
)

/** A user with the address whom nobody has set up becomes the invited one. Returns no row when they belong to another login. */
const insertMembership = query<Required<Omit<Invited, 'id'>> & { loginId: string }, { id: string }>(
  'join-team',
  `insert into users (team_id, email, role, site_ids, login_id)
  values (:teamId, :email, :role, :siteIds, :loginId)
  on conflict (team_id, email) do update
  set role = excluded.role, site_ids = excluded.site_ids, login_id = excluded.login_id
  where users.login_id is null
  returning id`,
)

/** Makes a login a user of the team that it was invited to; nothing changes when it is one already. */
export async function joinTeam(
  tx: Transaction,
  audit: Audit,
  loginId: string,
  { id: _, ...invited }: Invited,
): Promise<void> {
  const { teamId, role } = invited
  const [own] = await findOwnUser(tx, { loginId, teamId })
  if (own) return
  const [user] = await insertMembership(tx, { ...invited, loginId })
  if (!user) throw new SsoRefusal('sign_in_first')
  const details = { role, method: 'single_sign_on' }
  await audit(tx, { action: 'user.join', object: { type: 'user', id: user.id }, details, teamId })
}

const takeInvitationsTo = query<{ email: string; now: Date }, Invited>(
  'take-invitations-to',
  `delete from invitations
  where email = :email and expires_at > :now
  returning id, team_id as "teamId", email, role, site_ids as "siteIds"`,
)

/** Accepts all invitations to the verified address of a login. @returns whether there were any */
export async function joinByInvitations(
  tx: Transaction,
  audit: Audit,
  { loginId, email }: { loginId: string; email: string },
  now: Date,
): Promise<boolean> {
  const invitations = await takeInvitationsTo(tx, { email, now })
  for (const invitation of invitations) await joinTeam(tx, audit, loginId, invitation)
  return invitations.length > 0
}

const findTeam = query<{ id: string }, { id: string }>('find-team', 'select id from teams where id = :id')

const findUserNamed = query<{ teamId: string; email: string }, { id: string }>(
  'find-user-with-email',
  'select id from users where team_id = :teamId and email = :email',
)

/**
 * Makes a login a user of the team that everybody of the provider joins, named by its id or its exact name.
 * @returns whether there is such a team
 * @throws SsoRefusal `setup_first` when the team has a user with the address: only the link of its set-up leads to them
 */
export async function joinAutomatically(
  tx: Transaction,
  audit: Audit,
  { loginId, email }: { loginId: string; email: string },
  rule: { team: string; role: Role } | undefined,
): Promise<boolean> {
  if (!rule) return false
  const [team] = isUuid(rule.team)
    ? await findTeam(tx, { id: rule.team })
    : await findTeamNamed(tx, { name: rule.team })
  if (!team) return false
  const [taken] = await findUserNamed(tx, { teamId: team.id, email })
  if (taken) throw new SsoRefusal('setup_first')
  await joinTeam(tx, audit, loginId, { teamId: team.id, email, role: rule.role, siteIds: null })
  return true
}
