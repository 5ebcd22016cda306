import { validate as isUuid } from 'uuid'
import type { Config } from '../../platform/config/config.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Client } from '../accounts/sessions.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import { auditOf } from '../audit/audit.ts'
import { findTeamNamed } from './accounts.ts'
import type { Role } from './caller.ts'
import { lockTeam } from './lock-team.ts'
import { tellOwners } from './tell-owners.ts'

/** The login that joins a team with single sign-on. */
export interface Joiner {
  loginId: string
  email: string
  /** Its browser, with the network as the audit log shows it. */
  origin: Client
  config: Config
}

export interface Invited {
  teamId: string
  /** Address of the new user; the team sees that of the login. */
  email: string
  role: Role
  siteIds: string[] | null
  /** null for everybody of the provider. */
  invitedBy: string | null
}

const findOwnUser = query<{ loginId: string; teamId: string }, { id: string }>(
  'find-user-of-login',
  'select id from users where login_id = :loginId and team_id = :teamId',
)

/** Returns no row when the team has a user with that address. */
const insertUser = query<Omit<Invited, 'invitedBy'> & { loginId: string }, { id: string }>(
  'join-team',
  `insert into users (team_id, email, role, site_ids, login_id)
  values (:teamId, :email, :role, :siteIds, :loginId)
  on conflict (team_id, email) do nothing
  returning id`,
)

/**
 * Makes a login a user of a team; nothing changes when it is one already.
 * @throws SsoRefusal `link_invalid` when the team was deleted; `setup_first` when the team has another user with the address: only the link of its set-up leads to that one
 */
export async function joinTeam(
  tx: Transaction,
  { loginId, email, origin, config }: Joiner,
  { teamId, email: invitedAs, role, siteIds, invitedBy }: Invited,
  now: Date,
): Promise<void> {
  await lockTeam(tx, teamId).catch(error => {
    throw error instanceof AppError ? new SsoRefusal('link_invalid') : error
  })
  const [own] = await findOwnUser(tx, { loginId, teamId })
  if (own) return
  const [user] = await insertUser(tx, { loginId, email: invitedAs, teamId, role, siteIds })
  if (!user) throw new SsoRefusal('setup_first')
  const { network } = origin
  const audit = auditOf({ teamId, loginId, userId: user.id, tokenId: null, name: email, network }, () => now)
  const invitation = { site_ids: siteIds, invited_as: invitedAs, invited_by: invitedBy }
  const details = { email, role, ...invitation, method: 'single_sign_on' }
  await audit(tx, { action: 'user.join', object: { type: 'user', id: user.id }, details })
  if (role === 'owner') {
    const added = { teamId, email, by: invitedBy ?? email }
    await tellOwners(tx, { config, now: () => now }, added, origin)
  }
}

const lockTeams = query<{ hash: Uint8Array | null; email: string | null }, { id: string }>(
  'lock-inviting-teams',
  `select id
  from teams
  where id in (select team_id from invitations where hash = :hash::bytea or email = :email::text)
  order by id
  for no key update`,
)

/** Locks the teams of the invitations that may be used, as every change of a team begins: two of them then never wait for each other. */
export const lockInvitingTeams = (tx: Transaction, link: string | undefined, email: string | null) =>
  lockTeams(tx, { hash: link === undefined ? null : Buffer.from(link, 'hex'), email })

const takeInvitationsTo = query<{ email: string; now: Date }, Invited>(
  'take-invitations-to',
  `delete from invitations
  where email = :email and expires_at > :now
  returning team_id as "teamId", email, role, site_ids as "siteIds", invited_by as "invitedBy"`,
)

/** Accepts all invitations to the verified address of a login. @returns whether there were any */
export async function joinByInvitations(tx: Transaction, joiner: Joiner, now: Date): Promise<boolean> {
  const invitations = await takeInvitationsTo(tx, { email: joiner.email, now })
  for (const invited of invitations) await joinTeam(tx, joiner, invited, now)
  return invitations.length > 0
}

const findTeam = query<{ id: string }, { id: string }>(
  'find-team',
  'select id from teams where id = :id and deleted_at is null',
)

/** Makes a login a user of the team that everybody of the provider joins, named by id or exact name. @returns whether there is such a team */
export async function joinAutomatically(
  tx: Transaction,
  joiner: Joiner,
  rule: { team: string; role: Role } | undefined,
  now: Date,
): Promise<boolean> {
  if (!rule) return false
  const [team] = isUuid(rule.team)
    ? await findTeam(tx, { id: rule.team })
    : await findTeamNamed(tx, { name: rule.team })
  if (!team) return false
  const { email } = joiner
  await joinTeam(tx, joiner, { teamId: team.id, email, role: rule.role, siteIds: null, invitedBy: null }, now)
  return true
}
