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

/** Look-ups of invalid tokens that an address has, in limits of one token. */
const INVALID_TOKENS = 10

export interface Credentials {
  /** The `Authorization` header as it came. */
  authorization: string | undefined
  network: string
  showRate: (rate: Rate) => void
}

/**
 * Who the `Authorization` header speaks for.
 * @throws AppError `unauthenticated` for a header that is missing, malformed, unknown or expired; `rate_limited` for a
 * token that this process has not seen to be good, when too many from its network were not
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
  // The checksum spares the database every token that was cut or mistyped.
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

/** One message for all, so that nobody learns which tokens exist. */
function invalidToken(): AppError {
  return new AppError('unauthenticated', 'The token is not valid')
}

async function touch(db: Db, tokenId: string, now: Date): Promise<void> {
  // When a token was last used is a hint for people; no request may fail for it.
  await touchToken(db, tokenId, now).catch(() => {})
}
