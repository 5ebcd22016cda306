import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { type Caller, type Plan, type Role, type Scope, sitesInBoth } from './caller.ts'
import type { Guard, Parts } from './credentials.ts'
import { hashToken, isWellFormedToken } from './token-format.ts'

interface CallerRow {
  tokenId: string
  tokenName: string
  teamId: string
  userId: string
  loginId: string | null
  email: string
  role: Role
  scopes: Scope[]
  /** Sites that the token is limited to. */
  tokenSiteIds: string[] | null
  /** Sites that its user is limited to. */
  userSiteIds: string[] | null
  plan: Plan
  trialEndsAt: Date | null
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** The token of a person whose login is disabled is not found. */
const findCaller = query<{ hash: Uint8Array }, CallerRow>(
  'find-caller',
  `select
    tokens.id as "tokenId",
    tokens.name as "tokenName",
    tokens.team_id as "teamId",
    tokens.user_id as "userId",
    users.login_id as "loginId",
    coalesce(logins.email, users.email) as email,
    users.role,
    tokens.scopes,
    tokens.site_ids as "tokenSiteIds",
    users.site_ids as "userSiteIds",
    teams.plan,
    teams.trial_ends_at as "trialEndsAt",
    tokens.expires_at as "expiresAt",
    tokens.last_used_at as "lastUsedAt"
  from tokens
  join users on users.id = tokens.user_id
  join teams on teams.id = tokens.team_id
  left join logins on logins.id = users.login_id
  where tokens.hash = :hash and logins.disabled_at is null`,
)

/** When many requests run at the same time, only one writes: the others no longer match the condition. */
const touchToken = query<{ tokenId: string; now: Date }>(
  'touch-token',
  `update tokens
  set last_used_at = :now
  where id = :tokenId and (last_used_at is null or last_used_at <= :now::timestamptz - interval '1 minute')`,
)

/**
 * Returns the caller of a bearer token. Throws as `identify`.
 * @param isRead whether what the database said within the last second may count
 */
export async function useToken(
  { db, knownTokens, now }: Parts,
  { header, isRead }: { header: string | undefined; isRead: boolean },
  guard: Guard,
): Promise<Caller> {
  const at = now()
  const token = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  // The checksum avoids a database look-up for truncated or mistyped tokens.
  if (token === undefined || !isWellFormedToken(token)) throw invalidToken()
  const hash = hashToken(token)
  const load = async () => (await findCaller(db, { hash }))[0]
  const row = await guard({
    hash,
    async find() {
      const found = await (isRead ? knownTokens.find(hash, load) : load())
      return !found || (found.expiresAt && found.expiresAt <= at) ? undefined : found
    },
    refusal: invalidToken(),
  })
  const { lastUsedAt, userSiteIds, ...caller } = row
  if (!lastUsedAt || at.getTime() - lastUsedAt.getTime() >= MINUTE_MS) {
    row.lastUsedAt = at
    // Ignore failures: the time of last use is only informative and must not fail a request.
    await touchToken(db, { tokenId: row.tokenId, now: at }).catch(() => {})
  }
  return { ...caller, siteIds: sitesInBoth(row.tokenSiteIds, userSiteIds) }
}

/** Returns the same error for all cases, so that the answer does not reveal which tokens exist. */
function invalidToken(): AppError {
  return new AppError('unauthenticated', 'The token is not valid')
}
