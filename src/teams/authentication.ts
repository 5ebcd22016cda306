import { AppError } from '../errors.ts'
import { type Db, statement } from '../infra/db.ts'
import type { Caller } from './schema.ts'
import { hashToken, isWellFormedToken } from './token-format.ts'

interface CallerRow extends Caller {
  lastUsedAt: Date | null
}

const findCaller = statement<CallerRow>('find-caller')
const touchToken = statement('touch-token')

const TOUCH_EVERY_MS = 60_000

/**
 * Who the `Authorization` header speaks for.
 * @throws AppError `unauthenticated` for a header that is missing, malformed, unknown or expired
 */
export async function authenticate(db: Db, header: string | undefined, now: Date): Promise<Caller> {
  if (header === undefined) {
    throw new AppError('unauthenticated', 'Send a token: Authorization: Bearer <ACCESS_TOKEN>')
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  // The checksum spares the database every token that was cut, mistyped or made up.
  if (token === undefined || !isWellFormedToken(token)) throw invalidToken()
  const [row] = await findCaller(db, hashToken(token))
  if (!row || (row.expiresAt && row.expiresAt <= now)) throw invalidToken()
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
