import { validate as isUuid } from 'uuid'
import { AppError, invalidField } from '../errors.ts'
import { type Queryable, statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import type { Caller, CreatedToken, CreateToken, TokenInfo } from './schema.ts'
import { generateToken, hashToken } from './token-format.ts'

interface TokenRow {
  id: string
  name: string
  siteIds: string[] | null
  expiresAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

interface NewToken {
  teamId: string
  userId: string
  name: string
  siteIds: string[] | null
  expiresAt: Date | null
}

const insertToken = statement<TokenRow>('create-token')
const countSitesAmong = statement<{ count: number }>('count-sites-among')
const selectTokens = statement<TokenRow>('list-tokens')
const deleteToken = statement<{ id: string }>('delete-token')

/**
 * Makes a token that acts as `userId` in `teamId`.
 * @param options.siteIds sites it is limited to; null for every site of the team
 * @returns the token in clear, for the only time: only its SHA-256 is stored
 * @throws AppError `not_found` when the user or one of the sites is not the team's
 */
export async function createToken(db: Queryable, options: NewToken): Promise<CreatedToken> {
  const siteIds = options.siteIds && [...new Set(options.siteIds.map(id => id.toLowerCase()))]
  if (siteIds) {
    const [found] = await countSitesAmong(db, options.teamId, siteIds)
    if (found!.count !== siteIds.length) throw noSuchSite()
  }
  return storeToken(db, { ...options, siteIds })
}

/** The same, for sites that are known to be the team's. */
async function storeToken(db: Queryable, options: NewToken): Promise<CreatedToken> {
  const token = generateToken()
  const [row] = await insertToken(
    db,
    options.teamId,
    options.userId,
    options.name,
    hashToken(token),
    options.siteIds,
    options.expiresAt,
  )
  if (!row) throw new AppError('not_found', 'No such user in the team')
  return { ...presentToken(row), token }
}

/**
 * Makes a token of the caller's user. It never reaches further than the caller's own: not to other sites, not for
 * longer; what the request leaves open is as the caller's own token has it.
 * @throws AppError `not_found` for a site the caller does not reach; `validation_failed` for an expiry that is past or
 * later than the caller's own
 */
export async function issueToken(
  { db, now }: Pick<Services, 'db' | 'now'>,
  caller: Caller,
  input: CreateToken,
): Promise<CreatedToken> {
  const { teamId, userId } = caller
  const expiresAt = input.expires_at ?? caller.expiresAt
  if (expiresAt && expiresAt <= now()) throw invalidField('expires_at', 'expires_at must be in the future')
  if (caller.expiresAt && expiresAt! > caller.expiresAt) {
    throw invalidField('expires_at', 'expires_at must not be later than that of the token you use')
  }
  const token = { teamId, userId, name: input.name, expiresAt }
  // What is taken over may name sites that were deleted since: it stays as it is.
  if (!input.site_ids) return storeToken(db, { ...token, siteIds: caller.siteIds })
  const siteIds = input.site_ids.map(id => id.toLowerCase())
  if (caller.siteIds && !siteIds.every(id => caller.siteIds!.includes(id))) throw noSuchSite()
  return createToken(db, { ...token, siteIds })
}

/** The tokens the caller may know of, the newest first: a member's own, else the team's; all within the caller's sites. */
export async function listTokens(db: Queryable, caller: Caller): Promise<TokenInfo[]> {
  const rows = await selectTokens(db, caller.teamId, ownerFilter(caller), caller.siteIds)
  return rows.map(presentToken)
}

/**
 * Makes a token stop working, the caller's own included.
 * @throws AppError `not_found` for every token that the caller cannot list
 */
export async function revokeToken(db: Queryable, caller: Caller, id: string): Promise<void> {
  const [gone] = isUuid(id)
    ? await deleteToken(db, caller.teamId, ownerFilter(caller), caller.siteIds, id)
    : []
  if (!gone) throw new AppError('not_found', 'No such token')
}

/** Whose tokens the caller may see; null for everybody's. */
const ownerFilter = (caller: Caller) => (caller.role === 'member' ? caller.userId : null)

function noSuchSite(): AppError {
  return new AppError('not_found', 'No such site')
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
