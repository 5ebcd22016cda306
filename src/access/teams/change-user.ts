import type { Transaction } from '../../platform/db/connect.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { requireProof } from '../accounts/proof.ts'
import { type Caller, isManager, type Role } from './caller.ts'
import type { Person } from './credentials.ts'
import { findUser } from './list-users.ts'
import { lockTeam } from './lock-team.ts'
import { requireGivable, requireManageable } from './role-rules.ts'
import { requireSiteLimit } from './site-limits.ts'
import {
  deleteMembership,
  type LockedUser,
  lockUser,
  requireAnotherOwner,
  type UserServices,
  writeUser,
} from './team-users.ts'
import { tellOwners } from './tell-owners.ts'
import { requireScopesOfRole } from './token-rules.ts'
import type { ChangeUser, TeamUser, TransferTeam } from './user-schema.ts'

// Each change locks the team first, then calls `audit`, which makes sure that the caller has still their role, and then changes the rows.

/**
 * Changes the role of a user of the team, and the sites that they are limited to.
 * @throws AppError `not_found` for a user or a site that the team does not have; `forbidden` for a role above the caller's, an owner whom
 * an admin changes, the caller's own role, and the last owner; `validation_failed` for an owner or admin with sites
 */
export async function changeUser(
  services: UserServices & OwnerNews,
  caller: Caller,
  { id, ...input }: ChangeUser,
): Promise<TeamUser> {
  const { db, audit } = services
  const { teamId } = caller
  return db.begin(async transaction => {
    await lockTeam(transaction, teamId)
    const user = await lockUser(transaction, caller, id)
    const role = input.role ?? user.role
    await requireChange(transaction, caller, user, role)
    const kept = isManager(role) ? null : user.siteIds
    const siteIds =
      input.site_ids === undefined
        ? kept
        : await requireSiteLimit(transaction, { teamId, role, siteIds: input.site_ids })
    await audit(transaction, {
      action: 'user.change',
      object: { type: 'user', id: user.id },
      details: { email: user.email, role, role_before: user.role, site_ids: siteIds },
    })
    await writeUser(transaction, user, { role, siteIds })
    if (role === 'owner' && user.role !== 'owner') await tellOfOwner(transaction, services, caller, user)
    return findUser(transaction, teamId, id)
  })
}

/** What a mail to the owners of a team needs. */
type OwnerNews = Pick<Services, 'config' | 'now'> & { userAgent: string; auditNetwork: string }

const tellOfOwner = (
  transaction: Transaction,
  services: OwnerNews,
  { teamId, email: by }: Caller,
  { email }: LockedUser,
) =>
  tellOwners(
    transaction,
    services,
    { teamId, email, by },
    { userAgent: services.userAgent, network: services.auditNetwork },
  )

async function requireChange(transaction: Transaction, caller: Caller, user: LockedUser, role: Role) {
  if (role === user.role) return requireManageable(caller.role, role)
  if (user.id === caller.userId && caller.role !== 'owner') {
    throw new AppError('forbidden', 'Nobody changes their own role: ask another owner or admin')
  }
  requireManageable(caller.role, user.role)
  requireGivable(caller.role, role)
  requireScopesOfRole(caller, role)
  await requireAnotherOwner(transaction, caller.teamId, user)
}

/**
 * Removes a user from the team. Their tokens of the team end.
 * @throws AppError `not_found`; `forbidden` for an owner whom an admin removes, the last owner, and the caller, who leaves instead
 */
export async function removeUser(
  { db, audit }: UserServices,
  caller: Caller,
  { id }: { id: string },
): Promise<void> {
  await db.begin(async transaction => {
    await lockTeam(transaction, caller.teamId)
    const user = await lockUser(transaction, caller, id)
    if (user.id === caller.userId) {
      throw new AppError('forbidden', 'Nobody removes themselves: leave the team with POST /api/team/leave')
    }
    requireManageable(caller.role, user.role)
    await requireAnotherOwner(transaction, caller.teamId, user)
    await audit(transaction, {
      action: 'user.remove',
      object: { type: 'user', id: user.id },
      details: { email: user.email, role: user.role },
    })
    await deleteMembership(transaction, user)
  })
}

/** Ends the caller's own membership, with their tokens of the team. @throws AppError `forbidden` for the last owner */
export async function leaveTeam({ db, audit }: UserServices, caller: Caller): Promise<void> {
  await db.begin(async transaction => {
    await lockTeam(transaction, caller.teamId)
    await audit(transaction, {
      action: 'user.leave',
      object: { type: 'user', id: caller.userId },
      details: { email: caller.email, role: caller.role },
    })
    const user = await lockUser(transaction, caller, caller.userId)
    await requireAnotherOwner(transaction, caller.teamId, user)
    await deleteMembership(transaction, user)
  })
}

/**
 * Makes another user owner, and the caller admin.
 * @throws AppError `forbidden` without proof of who the caller is; `not_found`; `validation_failed` for the caller, and for a user whose
 * login is not set up: no person could act as owner
 */
export async function transferTeam(
  services: UserServices & OwnerNews & Pick<Services, 'redis'>,
  caller: Caller,
  person: Person,
  { id, password }: TransferTeam,
): Promise<TeamUser> {
  const { db, audit } = services
  await requireProof(services, person, password)
  return db.begin(async transaction => {
    await lockTeam(transaction, caller.teamId)
    const target = await lockUser(transaction, caller, id)
    if (target.id === caller.userId) throw invalidField('id', 'id must be that of another user')
    if (!target.canSignIn) throw invalidField('id', 'id must be that of a user who has a login that works')
    await audit(transaction, {
      action: 'team.transfer',
      object: { type: 'user', id: target.id },
      details: { email: target.email },
    })
    const own = await lockUser(transaction, caller, caller.userId)
    await writeUser(transaction, target, { role: 'owner', siteIds: null })
    await writeUser(transaction, own, { role: 'admin', siteIds: null })
    if (target.role !== 'owner') await tellOfOwner(transaction, services, caller, target)
    return findUser(transaction, caller.teamId, id)
  })
}
