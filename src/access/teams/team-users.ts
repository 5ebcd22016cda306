import { validate as isUuid } from 'uuid'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { requireRenewal } from '../accounts/sessions.ts'
import type { Audit } from '../audit/audit.ts'
import type { Caller, Role } from './caller.ts'
import { rolesToGive } from './role-rules.ts'

export type UserServices = Pick<Services, 'db'> & { audit: Audit }

export interface LockedUser {
  id: string
  email: string
  role: Role
  siteIds: string[] | null
  loginId: string | null
  /** Whether the login is set up and not disabled. */
  canSignIn: boolean
}

const selectUser = query<{ teamId: string; id: string }, LockedUser>(
  'lock-team-user',
  `select
    users.id,
    coalesce((select logins.email from logins where logins.id = users.login_id), users.email) as email,
    users.role, users.site_ids as "siteIds", users.login_id as "loginId",
    exists (select from logins where logins.id = users.login_id and disabled_at is null) as "canSignIn"
  from users
  where users.team_id = :teamId and users.id = :id
  for no key update`,
)

/** Returns a user of the team, whose row stays as it is until the transaction ends. @throws AppError `not_found` */
export async function lockUser(
  transaction: Transaction,
  { teamId }: Pick<Caller, 'teamId'>,
  id: string,
): Promise<LockedUser> {
  const [user] = isUuid(id) ? await selectUser(transaction, { teamId, id }) : []
  if (!user) throw new AppError('not_found', 'No such user')
  return user
}

const countOwners = query<{ teamId: string; exceptId: string }, { count: number }>(
  'count-other-owners',
  `select count(*)::int as count
  from users
  left join logins on logins.id = users.login_id
  where users.team_id = :teamId and users.role = 'owner' and users.id <> :exceptId and logins.disabled_at is null`,
)

/**
 * Makes sure that the team has an owner without this user. The team must be locked. An owner whose login is disabled does not count.
 * @throws AppError `forbidden`
 */
export async function requireAnotherOwner(db: Queryable, teamId: string, { id, role }: LockedUser) {
  if (role !== 'owner') return
  const [others] = await countOwners(db, { teamId, exceptId: id })
  if (others!.count > 0) return
  throw new AppError('forbidden', 'The team needs an owner: make another user owner first')
}

const updateUser = query<{ id: string; role: Role; siteIds: string[] | null }>(
  'update-user',
  'update users set role = :role, site_ids = :siteIds where id = :id',
)

const deleteInvitationsBy = query<{ id: string; roles: string[] }>(
  'delete-invitations-by-user',
  'delete from invitations where user_id = :id and role = any(:roles::text[])',
)

/**
 * Writes the role and the sites of a user. They count from the next request. Invitations to roles that the user may not give any more
 * end: the user knows their links.
 */
export async function writeUser(
  transaction: Transaction,
  { id, loginId, role: before }: LockedUser,
  change: { role: Role; siteIds: string[] | null },
): Promise<void> {
  await updateUser(transaction, { id, ...change })
  const lost = rolesToGive(before).filter(role => !rolesToGive(change.role).includes(role))
  if (lost.length > 0) await deleteInvitationsBy(transaction, { id, roles: lost })
  if (loginId) await requireRenewal(transaction, { loginId })
}

const deleteUser = query<{ id: string }>('delete-user', 'delete from users where id = :id')

/** Ends a membership with its tokens and the invitations whose links the user knows. */
export async function deleteMembership(transaction: Transaction, { id, loginId }: LockedUser): Promise<void> {
  await deleteUser(transaction, { id })
  if (loginId) await requireRenewal(transaction, { loginId })
}
