import { AppError } from '../../platform/errors.ts'
import { ROLES, type Role } from './caller.ts'

/** Returns the roles that a user may give, from the highest: their own and those below, nothing for those who do not manage the team. */
export const rolesToGive = (role: Role): Role[] =>
  role === 'owner' ? [...ROLES] : role === 'admin' ? ['admin', 'member', 'viewer'] : []

/** @throws AppError `forbidden` when the role is above that of who gives it */
export function requireGivable(giver: Role, role: Role): void {
  if (rolesToGive(giver).includes(role)) return
  throw new AppError('forbidden', `The role ${role} is above yours: only owners give it`)
}

/** Admins manage each other, members and viewers; only owners manage owners. @throws AppError `forbidden` */
export function requireManageable(manager: Role, role: Role): void {
  if (rolesToGive(manager).includes(role)) return
  throw new AppError('forbidden', 'Only owners may change or remove an owner')
}
