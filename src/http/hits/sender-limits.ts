import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../ingestion/edge/accept.ts'
import type { Config } from '../../platform/config/config.ts'
import { keyedHash } from '../../platform/lib/keyed-hash.ts'
import type { RateLimit } from '../../platform/limits/rate-limit.ts'
import { networkOf } from '../../platform/net/networks.ts'
import type { BodyLimits } from '../body.ts'

const KIB = 1024

/** Compressed bodies have a lower limit, because 300 compressed bytes can unpack to all of it. */
export const HIT_BODY: BodyLimits = { plain: 256 * KIB, unpacked: 64 * KIB }

/** A hit has about 400 bytes; reading 16 KiB takes less than 0.1 ms. */
const CHEAP_BYTES = 16 * KIB

/** Returns whether a body may be expensive to read (large, compressed or of unknown size), so that the request is counted first. */
export function isCostly({ headers }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined || !(Number(headers['content-length']) <= CHEAP_BYTES)
}

/** Limit of an address for identify, as a multiple of the limit of one tracking key and address. */
const KEYS_PER_ADDRESS = 5

/**
 * Returns the limit of a request whose body is not known. The limit of identify is by key and address; here it is a limit of the
 * address alone. Only requests with a refused or a costly body use it: without it, a sender that invents keys
 * would have no limit.
 */
export function senderLimit(
  endpoint: Endpoint,
  address: string,
  salt: Buffer,
  limits: Config['limits'],
): RateLimit {
  return endpoint === 'identify'
    ? { key: limitKey('identify-any', address, salt), limit: KEYS_PER_ADDRESS * limits.identify }
    : { key: limitKey(endpoint, address, salt), limit: limits[endpoint] }
}

/** Returns the limit of an identify request whose body is known. The body may be any JSON value. */
export function identifyLimit(
  body: unknown,
  address: string,
  salt: Buffer,
  limits: Config['limits'],
): RateLimit {
  const key = (body as { key?: unknown } | null | undefined)?.key
  const name = typeof key === 'string' ? key.slice(0, 64).toLowerCase() : ''
  return { key: limitKey(`identify\n${name}`, address, salt), limit: limits.identify }
}

/**
 * Returns the key of a sender's rate limit. It is a hash, because the client address must not leave the process. It changes
 * with the salt of the day, never within a window.
 * @param scope name of the limit, then, after a newline, anything else that separates limits
 */
export function limitKey(scope: string, address: string, salt: Buffer): string {
  const hash = keyedHash(salt, `limit\n${scope}\n${networkOf(address)}`, 'base64url')
  return `${scope.split('\n', 1)[0]}:${hash.slice(0, 22)}`
}
