import type { Redis } from 'ioredis'
import { AppError } from '../errors.ts'

const WINDOW_MS = 60_000

/** One request against one bucket. */
export interface Charge {
  /** Names the bucket; never holds a client address. */
  key: string
  /** Requests a minute. */
  limit: number
}

/** What a bucket says of a request: the values of the three `X-RateLimit-*` headers. */
export interface Rate {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  resetAt: number
}

/**
 * Fixed one-minute windows in Redis, shared by all workers and hosts. Exact: of a window's requests the first `limit`
 * are allowed, whoever counts them.
 */
export interface RateLimiter {
  /**
   * Counts requests, many in one round trip; every one counts, allowed or not.
   * @throws what Redis throws when it cannot answer
   */
  charge(charges: Charge[]): Promise<Rate[]>
}

/** Counts ARGV[i] requests into KEYS[i]; the last argument is how long a counter lives, in milliseconds. */
const COUNT = `
local counts = {}
for index, key in ipairs(KEYS) do
  counts[index] = redis.call('incrby', key, ARGV[index])
  if counts[index] == tonumber(ARGV[index]) then redis.call('pexpire', key, ARGV[#ARGV]) end
end
return counts`

interface Counting extends Redis {
  countRequests(keys: number, ...rest: (string | number)[]): Promise<number[]>
}

export function createRateLimiter(redis: Redis, now: () => Date): RateLimiter {
  redis.defineCommand('countRequests', { lua: COUNT })
  return {
    async charge(charges) {
      const at = now().getTime()
      const window = Math.floor(at / WINDOW_MS)
      const buckets = new Map<string, number>()
      for (const { key } of charges) buckets.set(key, (buckets.get(key) ?? 0) + 1)
      const totals = await (redis as Counting).countRequests(
        buckets.size,
        ...[...buckets.keys()].map(key => `limit:${window}:${key}`),
        ...buckets.values(),
        2 * WINDOW_MS,
      )
      // The requests of this call are the last ones counted, in their order.
      const counted = new Map([...buckets].map(([key, added], index) => [key, totals[index]! - added]))
      return charges.map(({ key, limit }) => {
        const count = counted.get(key)! + 1
        counted.set(key, count)
        return {
          isAllowed: count <= limit,
          limit,
          remaining: Math.max(0, limit - count),
          resetAt: ((window + 1) * WINDOW_MS) / 1000,
        }
      })
    },
  }
}

export const rateHeaders = ({ limit, remaining, resetAt }: Rate): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetAt),
})

/** The 429 of a request that is over its limit. */
export function overLimit(rate: Rate, now: Date): AppError {
  return new AppError(
    'rate_limited',
    `More than ${rate.limit} requests a minute; try again when the minute is over`,
    {
      retryAfter: Math.max(1, rate.resetAt - Math.floor(now.getTime() / 1000)),
    },
  )
}
