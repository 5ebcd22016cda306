import type { Team } from '../../app/person/person.tsx'

export type Role = Team['role']

const ALL: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

export const isManager = (role: Role): boolean => role === 'owner' || role === 'admin'

/** Roles that a person may give, and whose people they may change: their own and those below. The service decides. */
export const rolesToGive = (role: Role): readonly Role[] =>
  isManager(role) ? ALL.slice(ALL.indexOf(role)) : []

/** What the parts of the page are about. */
export interface TeamProps {
  team: Team
}
