import { createHmac, randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import { AppError } from '../../errors.ts'
import { answered } from '../../infra/redis.ts'
import { keyedHash } from './keyed-hash.ts'

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
  const hex = keyedHash(salt, `${siteId}\n${address}\n${userAgent}`, 'hex')
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16) & 3]!
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The first digit of a UUID's fourth group holds its variant and two bits that are free. */
const VARIANTS = ['8', '9', 'a', 'b']

/**
 * Hands out the salts of a moment. What lies in Redis is a random seed a UTC day; the salt is made of it and the secret
 * key, so that neither leads back to an address without the other. A seed is made by whoever needs it first, expires in
 * Redis when the day after its own is over, and leaves this process's memory then too.
 * @param secretKey 64 hex digits
 */
export function createSaltStore(redis: Redis, secretKey: string) {
  const key = Buffer.from(secretKey, 'hex')
  const known = new Map<number, Promise<Buffer | undefined>>()
  /** Those of the day that was asked for last. */
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
     * What is known is there at once.
     * @throws what Redis throws when it is away and the salt is not known here yet
     */
    at(moment: number): Salts | Promise<Salts> {
      const day = Math.floor(moment / DAY_MS)
      return latest?.day === day ? latest.salts : fetch(day)
    },
  }
}

export type SaltStore = ReturnType<typeof createSaltStore>

async function fetchSeed(redis: Redis, day: number, mayCreate: boolean): Promise<Buffer | undefined> {
  const name = `salt:${new Date(day * DAY_MS).toISOString().slice(0, 10)}`
  if (mayCreate) {
    const expiresAt = String(((day + 2) * DAY_MS) / 1000)
    await redis.call('SET', name, randomBytes(32).toString('hex'), 'EXAT', expiresAt, 'NX')
  }
  const seed = await redis.get(name)
  if (seed !== null) return Buffer.from(seed, 'hex')
  // Gone between the two commands: a server that was emptied or replaced.
  if (mayCreate)
    throw new AppError('unavailable', 'The salt of the day cannot be kept now', { retryAfter: 1 })
  return undefined
}
