import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { type Caller, isManager, type Role } from './caller.ts'
import type { TeamUser } from './user-schema.ts'

interface UserRow {
  id: string
  email: string
  name: string | null
  role: Role
  siteIds: string[] | null
  hasLogin: boolean
  lastLoginAt: Date | null
  joinedAt: Date
}

/** Users of a team, or only the one with the id, in the order in which they joined. */
const selectUsers = query<{ teamId: string; id: string | null }, UserRow>(
  'list-users',
  `select
    users.id, coalesce(logins.email, users.email) as email, logins.name, users.role, users.site_ids as "siteIds",
    logins.id is not null as "hasLogin", logins.last_login_at as "lastLoginAt", users.created_at as "joinedAt"
  from users
  left join logins on logins.id = users.login_id
  where users.team_id = :teamId and (:id::uuid is null or users.id = :id)
  order by users.created_at, users.id`,
)

/**
 * Returns the people of the team, to owners and admins with what they may do where. A user who is limited to sites sees only
 * themselves: they may be of another company.
 * @throws AppError `forbidden` for a token that is limited to sites: its holder may not belong to the team
 */
export async function listUsers(db: Queryable, caller: Caller): Promise<TeamUser[]> {
  if (caller.tokenSiteIds) {
    throw new AppError('forbidden', 'A token that is limited to sites does not list the people of the team')
  }
  const rows = await selectUsers(db, { teamId: caller.teamId, id: caller.siteIds ? caller.userId : null })
  return rows.map(row => presentUser(row, isManager(caller.role) || row.id === caller.userId))
}

/** Returns a user as owners and admins see them. */
export async function findUser(db: Queryable, teamId: string, id: string): Promise<TeamUser> {
  const [row] = await selectUsers(db, { teamId, id })
  return presentUser(row!, true)
}

function presentUser(row: UserRow, isWhole: boolean): TeamUser {
  const { id, email, name, role } = row
  return {
    ...{ id, email, name, role },
    has_login: row.hasLogin,
    joined_at: row.joinedAt.toISOString(),
    ...(isWhole && { site_ids: row.siteIds, last_login_at: row.lastLoginAt?.toISOString() ?? null }),
  }
}
