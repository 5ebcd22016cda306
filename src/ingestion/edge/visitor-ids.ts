import { createHmac, randomBytes } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'
import { keyedHash } from '../../platform/lib/keyed-hash.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { RedisClient } from '../../platform/redis/client.ts'
import { answered } from '../../platform/redis/connect-redis.ts'

/** Salts for anonymous visitor ids: one a UTC day, derived from a random seed that all processes share through Redis. */
export interface Salts {
  today: Buffer
  /** Absent when the service did not run yesterday. */
  yesterday: Buffer | undefined
}

/**
 * Returns a visitor id (RFC 9562 version 8): an HMAC-SHA-256 of site, client address and user agent, keyed with the salt.
 * Without the salt, the id does not reveal the address.
 */
export function visitorIdFor(salt: Buffer, siteId: string, address: string, userAgent: string): string {
  const hex = keyedHash(salt, `${siteId}\n${address}\n${userAgent}`, 'hex')
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16) & 3]!
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** First digit of a UUID's fourth group: the variant and two free bits. */
const VARIANTS = ['8', '9', 'a', 'b']

/**
 * Creates a store that returns the salts for a given time. Redis holds one random seed a UTC day. The salt is the HMAC of
 * the seed with the secret key, so that seed or key alone cannot reveal an address. The first process that needs a seed
 * creates it. A seed expires in Redis at the end of the following day; then this process deletes its salt too.
 * @param secretKey 64 hex digits
 */
export function createSaltStore(redis: RedisClient, secretKey: string) {
  const key = Buffer.from(secretKey, 'hex')
  const known = new Map<number, Promise<Buffer | undefined>>()
  let latest: { day: number; salts: Salts } | undefined

  function forget(day: number): void {
    known.delete(day)
    if (latest && latest.day <= day + 1) latest = undefined
  }

  function load(day: number, mayCreate: boolean): Promise<Buffer | undefined> {
    const held = known.get(day)
    if (held) return held
    const loading = answered(fetchSeed(redis, day, mayCreate)).then(
      seed => seed && createHmac('sha256', key).update(seed).digest(),
    )
    known.set(day, loading)
    loading.then(
      () => setTimeout(() => forget(day), (day + 2) * DAY_MS - Date.now()).unref(),
      () => known.delete(day),
    )
    return loading
  }

  async function fetch(day: number): Promise<Salts> {
    const [today, yesterday] = await Promise.all([load(day, true), load(day - 1, false)])
    const salts = { today: today!, yesterday }
    latest = { day, salts }
    return salts
  }

  return {
    /**
     * Returns the salts directly if they are cached, otherwise a promise.
     * @throws the Redis error when Redis is unavailable and the salt is not cached
     */
    at(moment: number): Salts | Promise<Salts> {
      const day = Math.floor(moment / DAY_MS)
      return latest?.day === day ? latest.salts : fetch(day)
    },
  }
}

export type SaltStore = ReturnType<typeof createSaltStore>

async function fetchSeed(redis: RedisClient, day: number, mayCreate: boolean): Promise<Buffer | undefined> {
  const name = `salt:${new Date(day * DAY_MS).toISOString().slice(0, 10)}`
  if (mayCreate) {
    const expiresAt = String(((day + 2) * DAY_MS) / 1000)
    await redis.call('SET', name, randomBytes(32).toString('hex'), 'EXAT', expiresAt, 'NX')
  }
  const seed = await redis.get(name)
  if (seed !== null) return Buffer.from(seed, 'hex')
  // The seed can vanish between the two commands if the server was emptied or replaced.
  if (mayCreate)
    throw new AppError('unavailable', 'The salt of the day cannot be kept now', { retryAfter: 1 })
  return undefined
}
