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

/**
 * Counts ARGV[2i + 1] requests into the field ARGV[2i] of KEYS[1], a window's counters; ARGV[1] is how long they live, in
 * milliseconds. One read and one write for all, since each command of a script costs, and its line in the log of Redis.
 * What the first of a window removes, KEYS[2], is the window that nobody counts any more: expiring, so many counters
 * would hold everybody up.
 */
const COUNT = `
local names, added = {}, {}
for index = 2, #ARGV, 2 do
  names[#names + 1] = ARGV[index]
  added[#added + 1] = ARGV[index + 1]
end
local counts, written = redis.call('hmget', KEYS[1], unpack(names)), {}
for index, before in ipairs(counts) do
  counts[index] = (tonumber(before) or 0) + added[index]
  written[2 * index - 1] = names[index]
  written[2 * index] = counts[index]
end
local isNew = redis.call('exists', KEYS[1]) == 0
redis.call('hset', KEYS[1], unpack(written))
if isNew then
  redis.call('pexpire', KEYS[1], ARGV[1])
  redis.call('unlink', KEYS[2])
end
return counts`

/** Of one call: Lua unpacks no more than 8,000 values at once. */
const MAX_BUCKETS = 2_000

interface Counting extends Redis {
  countRequests(key: string, outdated: string, ...rest: (string | number)[]): Promise<number[]>
}

export function createRateLimiter(redis: Redis, now: () => Date): RateLimiter {
  redis.defineCommand('countRequests', { lua: COUNT, numberOfKeys: 2 })

  async function count(window: number, buckets: [key: string, added: number][]): Promise<number[]> {
    const slices: Promise<number[]>[] = []
    for (let start = 0; start < buckets.length; start += MAX_BUCKETS) {
      const slice = buckets.slice(start, start + MAX_BUCKETS).flat()
      slices.push(
        (redis as Counting).countRequests(`limit:${window}`, `limit:${window - 2}`, 3 * WINDOW_MS, ...slice),
      )
    }
    return (await Promise.all(slices)).flat()
  }

  return {
    async charge(charges) {
      const window = Math.floor(now().getTime() / WINDOW_MS)
      const resetAt = ((window + 1) * WINDOW_MS) / 1000
      const buckets = new Map<string, number>()
      for (const { key } of charges) buckets.set(key, (buckets.get(key) ?? 0) + 1)
      const totals = await count(window, [...buckets])
      // The requests of this call are the last ones counted, in their order.
      let index = 0
      for (const [key, added] of buckets) buckets.set(key, totals[index++]! - added)
      return charges.map(({ key, limit }) => {
        const count = buckets.get(key)! + 1
        buckets.set(key, count)
        return { isAllowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetAt }
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
