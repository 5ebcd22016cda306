import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller, Role } from './caller.ts'

/** Keeps the membership as it is until the transaction ends. */
const lockMembership = query<{ userId: string; role: Role }, { id: string }>(
  'lock-membership',
  'select id from users where id = :userId and role = :role for share',
)

/**
 * Checks that the caller still has the role that the request began with, and keeps it until the transaction ends.
 * @throws AppError `forbidden`
 */
export async function requireSameRole(
  db: Queryable,
  { userId, role }: Pick<Caller, 'userId' | 'role'>,
): Promise<void> {
  const [row] = await lockMembership(db, { userId, role })
  if (!row) throw new AppError('forbidden', 'Your role in the team has changed; try again')
}
