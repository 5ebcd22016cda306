import { AppError } from '../errors.ts'
import { type Db, statement } from '../infra/db.ts'
import { overLimit, type Rate } from '../infra/rate-limit.ts'
import type { Services } from '../infra/services.ts'
import type { Caller } from './schema.ts'
import { hashToken, isWellFormedToken } from './token-format.ts'

interface CallerRow extends Caller {
  lastUsedAt: Date | null
}

const findCaller = statement<CallerRow>('find-caller')
const touchToken = statement('touch-token')

const TOUCH_EVERY_MS = 60_000

/** Look-ups of invalid tokens that a network may cause, as a multiple of the limit of one token. */
const INVALID_TOKENS = 10

export interface Credentials {
  /** Raw `Authorization` header. */
  authorization: string | undefined
  network: string
  showRate: (rate: Rate) => void
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
  const [row] = await findCaller(db, hash)
  if (!row || (row.expiresAt && row.expiresAt <= now)) {
    invalidTokens.fail(hash)
    throw invalidToken()
  }
  if (attempt) invalidTokens.succeed(network, hash)
  const { lastUsedAt, ...caller } = row
  if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= TOUCH_EVERY_MS) await touch(db, row.tokenId, now)
  return caller
}

/** Returns the same error for all cases, so that the answer does not reveal which tokens exist. */
function invalidToken(): AppError {
  return new AppError('unauthenticated', 'The token is not valid')
}

async function touch(db: Db, tokenId: string, now: Date): Promise<void> {
  // Ignore failures: the time of last use is only informative and must not fail a request.
  await touchToken(db, tokenId, now).catch(() => {})
}
