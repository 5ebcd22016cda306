import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { TokenInfo } from './token-schema.ts'

export interface TokenRow
  extends Pick<TokenInfo, 'id' | 'name' | 'site_ids' | 'scopes' | 'created_by' | 'user_id' | 'user_email'> {
  expires_at: Date | null
  last_used_at: Date | null
  created_at: Date
}

/** What a statement returns of a token: a `TokenRow`. */
export const TOKEN_COLUMNS = `
  tokens.id, tokens.name, tokens.site_ids, tokens.scopes, tokens.expires_at, tokens.created_by, tokens.last_used_at,
  tokens.created_at, tokens.user_id,
  (
    select coalesce(logins.email, users.email)
    from users
    left join logins on logins.id = users.login_id
    where users.id = tokens.user_id
  ) as user_email`

/** Returns a token as answers show it. */
export function presentToken(row: TokenRow): TokenInfo {
  return {
    ...row,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}

/**
 * Makes changes to the tokens of a user run one after the other, so that the next statement sees all of them. Not `for update`: it
 * would also block transactions that only refer to the user.
 */
const lockUser = query<{ teamId: string; userId: string }, { id: string }>(
  'lock-user',
  'select id from users where team_id = :teamId and id = :userId for no key update',
)

/** Prevents creation and revocation of the user's tokens until the transaction ends. */
export async function lockTokensOf(transaction: Transaction, teamId: string, userId: string): Promise<void> {
  const [user] = await lockUser(transaction, { teamId, userId })
  if (!user) throw new AppError('not_found', 'No such user in the team')
}
