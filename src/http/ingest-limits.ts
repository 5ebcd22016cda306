import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import type { Charge } from '../infra/rate-limit.ts'
import type { Endpoint } from '../ingestion/edge/accept.ts'
import { limitKey } from '../ingestion/edge/limit-keys.ts'
import type { BodyLimits } from './body.ts'

const KIB = 1024

/** Compressed bodies have the lower limit: 300 bytes can ask for all of it. */
export const HIT_BODY: BodyLimits = { plain: 256 * KIB, unpacked: 64 * KIB }

/** A hit has some 400 bytes; reading 16 KiB takes less than 0.1 ms. */
const CHEAP_BYTES = 16 * KIB

/** Whether a body may take more to read than its sender should get for nothing: one that is large, compressed or of unknown size. */
export function isCostly({ headers }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined || !(Number(headers['content-length']) <= CHEAP_BYTES)
}

/** Tracking keys that an address can use up its limit with in one minute. */
const KEYS_PER_ADDRESS = 5

/**
 * What a request is charged to when its body is not known. For identify, whose limit is by key and address, that is a bucket of
 * the address alone, which only requests use up that are refused for their body, or whose body is costly: without it, a sender
 * that makes up keys would have no limit.
 */
export function senderCharge(
  endpoint: Endpoint,
  address: string,
  salt: Buffer,
  limits: Config['limits'],
): Charge {
  return endpoint === 'identify'
    ? { key: limitKey('identify-any', address, salt), limit: KEYS_PER_ADDRESS * limits.identify }
    : { key: limitKey(endpoint, address, salt), limit: limits[endpoint] }
}

/** What an identify request is charged to once its body is known, which may be anything. */
export function identifyCharge(
  body: unknown,
  address: string,
  salt: Buffer,
  limits: Config['limits'],
): Charge {
  const key = (body as { key?: unknown } | null | undefined)?.key
  const name = typeof key === 'string' ? key.slice(0, 64).toLowerCase() : ''
  return { key: limitKey(`identify\n${name}`, address, salt), limit: limits.identify }
}
