import { AppError } from '../errors.ts'
import { type Queryable, sqlState, statement } from '../infra/db.ts'
import type { Role } from './schema.ts'

const upsertUser = statement<{ id: string }>('create-user')

const FOREIGN_KEY_VIOLATION = '23503'

/**
 * Adds a user to a team. If the team already has the e-mail address (ignoring case), only the role changes.
 * @returns the user's id
 * @throws AppError `not_found` when the team does not exist
 */
export async function createUser(
  db: Queryable,
  options: { teamId: string; email: string; role: Role },
): Promise<string> {
  try {
    const [row] = await upsertUser(db, options.teamId, options.email.toLowerCase(), options.role)
    return row!.id
  } catch (error) {
    if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error
    throw new AppError('not_found', 'No such team', { cause: error })
  }
}
