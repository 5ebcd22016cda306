import { createHmac, randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'

const DAY_MS = 86_400_000

/** What makes anonymous visitor ids: one random salt a UTC day, shared by all processes through Redis. */
export interface Salts {
  today: Buffer
  /** Absent when the service did not run yesterday. */
  yesterday: Buffer | undefined
}

/**
 * A visitor id from a salt and what distinguishes people without storing it: RFC 9562 version 8, from HMAC-SHA-256.
 * Without the salt it leads back to no address.
 */
export function visitorIdFor(salt: Buffer, siteId: string, address: string, userAgent: string): string {
  const hash = createHmac('sha256', salt)
    .update(siteId)
    .update('\n')
    .update(address)
    .update('\n')
    .update(userAgent)
    .digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * Hands out the salts of a moment. A salt is made by whoever needs it first, expires in Redis when the day after
 * its own is over, and leaves this process's memory then too.
 */
export function createSaltStore(redis: Redis) {
  const known = new Map<number, Promise<Buffer | undefined>>()

  function load(day: number, mayCreate: boolean): Promise<Buffer | undefined> {
    let salt = known.get(day)
    if (!salt) {
      salt = fetchSalt(redis, day, mayCreate)
      known.set(day, salt)
      salt.catch(() => known.delete(day))
      forgetAfter(day)
    }
    return salt
  }

  function forgetAfter(day: number) {
    for (const other of known.keys()) if (other < day - 1) known.delete(other)
    setTimeout(() => known.delete(day), (day + 2) * DAY_MS - Date.now()).unref()
  }

  return {
    /** @throws what Redis throws when it is away and the salt is not known here yet */
    async at(moment: number): Promise<Salts> {
      const day = Math.floor(moment / DAY_MS)
      const [today, yesterday] = await Promise.all([load(day, true), load(day - 1, false)])
      return { today: today!, yesterday }
    },
  }
}

export type SaltStore = ReturnType<typeof createSaltStore>

async function fetchSalt(redis: Redis, day: number, mayCreate: boolean): Promise<Buffer | undefined> {
  const key = `salt:${new Date(day * DAY_MS).toISOString().slice(0, 10)}`
  if (mayCreate) {
    await redis.call(
      'SET',
      key,
      randomBytes(32).toString('hex'),
      'EXAT',
      String(((day + 2) * DAY_MS) / 1000),
      'NX',
    )
  }
  const salt = await redis.get(key)
  return salt === null ? undefined : Buffer.from(salt, 'hex')
}
