import { AppError } from '../../platform/errors.ts'
import { overLimit } from '../../platform/limits/rate-limit.ts'
import { useSession } from './authenticate-session.ts'
import { useToken } from './authenticate-token.ts'
import type { Caller } from './caller.ts'
import type { Check, Credentials, Guard, Identity, Parts } from './credentials.ts'

/** Look-ups of invalid tokens and cookies that a network may cause, as a multiple of the limit of one token. */
const INVALID_CREDENTIALS = 10

/**
 * Returns who sent the request: by the token of the `Authorization` header, else by the cookie of a browser session.
 * @throws AppError `unauthenticated` for credentials that are missing, malformed, unknown or expired; `rate_limited` for some
 * that this process has not yet seen to be valid, when the network has sent too many invalid ones; `forbidden` for a
 * cookie that a page of another origin sent; `not_found` for an `X-Team` that the person does not belong to
 * @param isRead whether the request only reads: then a token may be what it was within the last second
 */
export async function identify(request: Parts & Credentials, isRead: boolean): Promise<Identity> {
  if (request.authorization !== undefined)
    return { caller: await authenticate(request, isRead), person: null }
  if (request.sessionCookie === undefined) {
    throw new AppError('unauthenticated', 'Send a token: Authorization: Bearer <ACCESS_TOKEN>, or sign in')
  }
  return useSession(request, request.sessionCookie, guardOf(request))
}

/** Returns the caller that the `Authorization` header identifies. Throws as `identify`. */
export function authenticate(
  request: Parts & Pick<Credentials, 'authorization' | 'network' | 'showRate'>,
  isRead: boolean,
): Promise<Caller> {
  return useToken(request, { header: request.authorization, isRead }, guardOf(request))
}

/** Returns the guard of a request, for credentials that are looked up elsewhere. */
export const guardOf =
  (request: Parts & Pick<Credentials, 'network' | 'showRate'>): Guard =>
  check =>
    guarded(request, check)

/** Runs a look-up, and limits how many of invalid credentials a network can cause. */
async function guarded<Row>(
  { invalidTokens, config, network, now, showRate }: Parts & Pick<Credentials, 'network' | 'showRate'>,
  { hash, find, refusal }: Check<Row>,
): Promise<Row> {
  const attempt = invalidTokens.attempt(network, hash, INVALID_CREDENTIALS * config.limits.api)
  if (attempt && !attempt.isAllowed) {
    showRate(attempt)
    throw overLimit(attempt, now(), 'with tokens that are not valid')
  }
  const row = await find()
  if (!row) {
    invalidTokens.fail(hash)
    throw refusal
  }
  if (attempt) invalidTokens.succeed(network, hash)
  return row
}
