import type { Queryable } from '../db/connect.ts'
import { sqlState } from '../db/errors.ts'
import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import type { Role } from './schema.ts'

const upsertUser = query<{ teamId: string; email: string; role: Role }, { id: string }>(
  'create-user',
  `insert into users (team_id, email, role)
  values (:teamId, :email, :role)
  on conflict (team_id, email) do update set role = excluded.role
  returning id`,
)

const FOREIGN_KEY_VIOLATION = '23503'

/**
 * Adds a user to a team. If the team already has the e-mail address (ignoring case), only the role changes.
 * @returns the user's id
 * @throws AppError `not_found` when the team does not exist
 */
export async function createUser(
  db: Queryable,
  { teamId, email, role }: { teamId: string; email: string; role: Role },
): Promise<string> {
  try {
    const [row] = await upsertUser(db, { teamId, email: email.toLowerCase(), role })
    return row!.id
  } catch (error) {
    if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error
    throw new AppError('not_found', 'No such team', { cause: error })
  }
}
