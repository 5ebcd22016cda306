import { randomUUID } from 'node:crypto'
import { poll } from '../lib/retry.ts'
import type { RedisClient } from './client.ts'

const LEASE_MS = 15_000
const PROLONG_MS = 5_000
const ASK_MS = 200

const PROLONG = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end`
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end`

/** Returns a lease that one process of all hosts can hold. It is kept in Redis: the embedded database has a single session. */
export function createLease(redis: RedisClient, name: string) {
  const key = `lease:${name}`
  const holder = randomUUID()
  return {
    /** Takes or prolongs the lease; returns true when this process holds it for the next 15 seconds. */
    async hold() {
      if ((await redis.eval(PROLONG, 1, key, holder, LEASE_MS)) === 1) return true
      return (await redis.set(key, holder, 'PX', LEASE_MS, 'NX')) === 'OK'
    },
    async release() {
      await redis.eval(RELEASE, 1, key, holder)
    },
  }
}

export type Lease = ReturnType<typeof createLease>

/**
 * Runs a function while holding a lease, and prolongs the lease until the function is done.
 * @returns undefined when another process holds the lease; the function was not run then
 */
export async function whileHolding<Result>(
  lease: Lease,
  run: () => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  if (!(await lease.hold())) return undefined
  const prolonging = setInterval(() => void lease.hold().catch(() => {}), PROLONG_MS)
  try {
    return { result: await run() }
  } finally {
    clearInterval(prolonging)
    await lease.release().catch(() => {})
  }
}

/** Like `whileHolding`, but waits until the lease is free. */
export async function whenFree<Result>(lease: Lease, run: () => Promise<Result>): Promise<Result> {
  const { result } = await poll(ASK_MS, () => whileHolding(lease, run))
  return result
}
