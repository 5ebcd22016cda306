import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { overLimit, type RateLimitDecision } from '../limits/rate-limit.ts'
import type { Services } from '../services.ts'
import type { Caller } from './schema.ts'
import { hashToken, isWellFormedToken } from './token-format.ts'

interface CallerRow extends Caller {
  lastUsedAt: Date | null
}

const findCaller = query<{ hash: Uint8Array }, CallerRow>(
  'find-caller',
  `select
    tokens.id as "tokenId",
    tokens.team_id as "teamId",
    tokens.user_id as "userId",
    users.role,
    tokens.site_ids as "siteIds",
    teams.plan,
    teams.trial_ends_at as "trialEndsAt",
    tokens.expires_at as "expiresAt",
    tokens.last_used_at as "lastUsedAt"
  from tokens
  join users on users.id = tokens.user_id
  join teams on teams.id = tokens.team_id
  where tokens.hash = :hash`,
)

/** When many requests run at the same time, only one writes: the others no longer match the condition. */
const touchToken = query<{ tokenId: string; now: Date }>(
  'touch-token',
  `update tokens
  set last_used_at = :now
  where id = :tokenId and (last_used_at is null or last_used_at <= :now::timestamptz - interval '1 minute')`,
)

/** Look-ups of invalid tokens that a network may cause, as a multiple of the limit of one token. */
const INVALID_TOKENS = 10

export interface Credentials {
  authorization: string | undefined
  network: string
  showRate: (rate: RateLimitDecision) => void
}

/**
 * Returns the caller that the `Authorization` header identifies.
 * @throws AppError `unauthenticated` for a token that is missing, malformed, unknown or expired; `rate_limited` for a token
 * that this process has not yet seen to be valid, when its network has sent too many invalid tokens
 */
export async function authenticate(
  services: Pick<Services, 'db' | 'config' | 'invalidTokens' | 'now'> & Credentials,
): Promise<Caller> {
  const { db, config, invalidTokens, network, authorization: header } = services
  const now = services.now()
  if (header === undefined) {
    throw new AppError('unauthenticated', 'Send a token: Authorization: Bearer <ACCESS_TOKEN>')
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  // The checksum avoids a database look-up for truncated or mistyped tokens.
  if (token === undefined || !isWellFormedToken(token)) throw invalidToken()
  const hash = hashToken(token)
  const attempt = invalidTokens.attempt(network, hash, INVALID_TOKENS * config.limits.api)
  if (attempt && !attempt.isAllowed) {
    services.showRate(attempt)
    throw overLimit(attempt, now, 'with tokens that are not valid')
  }
  const [row] = await findCaller(db, { hash })
  if (!row || (row.expiresAt && row.expiresAt <= now)) {
    invalidTokens.fail(hash)
    throw invalidToken()
  }
  if (attempt) invalidTokens.succeed(network, hash)
  const { lastUsedAt, ...caller } = row
  if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= MINUTE_MS) {
    // Ignore failures: the time of last use is only informative and must not fail a request.
    await touchToken(db, { tokenId: row.tokenId, now }).catch(() => {})
  }
  return caller
}

/** Returns the same error for all cases, so that the answer does not reveal which tokens exist. */
function invalidToken(): AppError {
  return new AppError('unauthenticated', 'The token is not valid')
}
