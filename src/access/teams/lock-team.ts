import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'

/** Not `for update`: it would also block transactions that only refer to the team. */
const selectTeam = query<{ teamId: string }, { id: string; name: string }>(
  'lock-team',
  'select id, name from teams where id = :teamId and deleted_at is null for no key update',
)

/**
 * Makes changes of a team (its sites, users and invitations) run one after the other, until the transaction ends. It comes first in a
 * transaction, so that two of them never wait for each other.
 * @throws AppError `forbidden` when the team was deleted
 */
export async function lockTeam(transaction: Transaction, teamId: string): Promise<{ name: string }> {
  const [team] = await selectTeam(transaction, { teamId })
  if (!team) throw new AppError('forbidden', 'The team was deleted')
  return team
}
