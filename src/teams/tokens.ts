import { AppError } from '../errors.ts'
import { type Queryable, statement } from '../infra/db.ts'
import type { CreatedToken, TokenInfo } from './schema.ts'
import { generateToken, hashToken } from './token-format.ts'

interface TokenRow {
  id: string
  name: string
  siteIds: string[] | null
  expiresAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

const insertToken = statement<TokenRow>('create-token')
const countSitesAmong = statement<{ count: number }>('count-sites-among')

/**
 * Makes a token that acts as `userId` in `teamId`.
 * @param options.siteIds sites it is limited to; null for every site of the team
 * @returns the token in clear, for the only time: only its SHA-256 is stored
 * @throws AppError `not_found` when the user or one of the sites is not the team's
 */
export async function createToken(
  db: Queryable,
  options: { teamId: string; userId: string; name: string; siteIds: string[] | null; expiresAt: Date | null },
): Promise<CreatedToken> {
  const siteIds = options.siteIds && [...new Set(options.siteIds.map(id => id.toLowerCase()))]
  if (siteIds) {
    const [found] = await countSitesAmong(db, options.teamId, siteIds)
    if (found!.count !== siteIds.length) throw new AppError('not_found', 'No such site in the team')
  }
  const token = generateToken()
  const [row] = await insertToken(
    db,
    options.teamId,
    options.userId,
    options.name,
    hashToken(token),
    siteIds,
    options.expiresAt,
  )
  if (!row) throw new AppError('not_found', 'No such user in the team')
  return { ...presentToken(row), token }
}

function presentToken(row: TokenRow): TokenInfo {
  return {
    id: row.id,
    name: row.name,
    site_ids: row.siteIds,
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  }
}
