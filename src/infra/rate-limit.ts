import type { Redis } from 'ioredis'
import { AppError } from '../errors.ts'
import { answered } from './redis.ts'

const WINDOW_MS = 60_000

/** One request against one bucket. */
export interface Charge {
  /** Names the bucket; never holds a client address. */
  key: string
  /** Requests a minute. */
  limit: number
}

/** Result of counting one request: the values of the three `X-RateLimit-*` headers, and whether it is allowed. */
export interface Rate {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  resetAt: number
}

/**
 * Fixed one-minute windows in Redis, shared by all workers and hosts. They are exact: the first `limit` requests of a window
 * are allowed, in whichever process they are counted.
 */
export interface RateLimiter {
  /**
   * Counts requests, many in one round trip. Requests that are not allowed count too.
   * @throws the error of Redis when it cannot answer
   */
  charge(charges: Charge[]): Promise<Rate[]>
}

/**
 * Lua function that counts requests in the fields of KEYS[1], the counters of a window. ARGV from `first` to `last`: the
 * lifetime of the counters in milliseconds, then for each bucket its field, the number of requests, and the count above
 * which it is over the limit (0 for no limit). It uses one read and one write for all buckets, since each command of a
 * script costs time and a line in the log of Redis. The first call of a window removes KEYS[2], a window that is no longer
 * counted: the expiry of so many counters would block all clients.
 */
export const COUNT_REQUESTS = `
local function countRequests(first, last)
  local names = {}
  for index = first + 1, last, 3 do names[#names + 1] = ARGV[index] end
  local counts, written, isOver = redis.call('hmget', KEYS[1], unpack(names)), {}, false
  for index, before in ipairs(counts) do
    local count = (tonumber(before) or 0) + ARGV[first + 3 * index - 1]
    local limit = tonumber(ARGV[first + 3 * index])
    isOver = isOver or limit > 0 and count > limit
    counts[index], written[2 * index - 1], written[2 * index] = count, names[index], count
  end
  local isNew = redis.call('exists', KEYS[1]) == 0
  redis.call('hset', KEYS[1], unpack(written))
  if isNew then
    redis.call('pexpire', KEYS[1], ARGV[first])
    redis.call('unlink', KEYS[2])
  end
  return counts, isOver
end`

/** Arguments of `countRequests`: the requests of one window by bucket, with at least one bucket. */
export interface Tally {
  keys: [window: string, outdated: string]
  values: (string | number)[]
}

/** Most buckets of one call: Lua unpacks at most 8,000 values at once. */
export const MAX_BUCKETS = 2_000

/** Returns the number of requests of each bucket, in the order of each bucket's first request. */
export function countByBucket(charges: Charge[]): Map<string, { added: number; limit: number }> {
  const buckets = new Map<string, { added: number; limit: number }>()
  for (const { key, limit } of charges) {
    const bucket = buckets.get(key)
    if (bucket) bucket.added += 1
    else buckets.set(key, { added: 1, limit })
  }
  return buckets
}

/** Number of the window that contains a moment, given in Unix milliseconds. */
export const windowAt = (moment: number): number => Math.floor(moment / WINDOW_MS)

/** Unix seconds at which a window ends. */
export const windowEnd = (window: number): number => ((window + 1) * WINDOW_MS) / 1000

export function tallyOf(
  window: number,
  buckets: Iterable<[key: string, added: number, limit: number]>,
): Tally {
  const values: (string | number)[] = [3 * WINDOW_MS]
  for (const [key, added, limit] of buckets) values.push(key, added, limit)
  return { keys: [`limit:${window}`, `limit:${window - 2}`], values }
}

/**
 * Returns the rate of each request, in the order of the charges.
 * @param totals counts of the buckets, in their order; these requests are included, as the last ones
 */
export function ratesOf(
  charges: Charge[],
  window: number,
  buckets: Map<string, { added: number }>,
  totals: number[],
): Rate[] {
  const resetAt = windowEnd(window)
  const counted = new Map<string, number>()
  let index = 0
  for (const [key, { added }] of buckets) counted.set(key, totals[index++]! - added)
  return charges.map(({ key, limit }) => {
    const count = counted.get(key)! + 1
    counted.set(key, count)
    return { isAllowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetAt }
  })
}

interface Counting extends Redis {
  countRequests(keys: number, ...rest: (string | number)[]): Promise<number[]>
}

export function createRateLimiter(redis: Redis, now: () => Date): RateLimiter {
  redis.defineCommand('countRequests', { lua: `${COUNT_REQUESTS}\nreturn (countRequests(1, #ARGV))` })

  function count({ keys, values }: Tally): Promise<number[]> {
    return answered((redis as Counting).countRequests(keys.length, ...keys, ...values))
  }

  return {
    async charge(charges) {
      const window = windowAt(now().getTime())
      const buckets = countByBucket(charges)
      const all = [...buckets].map(([key, { added }]): [string, number, number] => [key, added, 0])
      const slices: Promise<number[]>[] = []
      for (let start = 0; start < all.length; start += MAX_BUCKETS) {
        slices.push(count(tallyOf(window, all.slice(start, start + MAX_BUCKETS))))
      }
      return ratesOf(charges, window, buckets, (await Promise.all(slices)).flat())
    },
  }
}

export const rateHeaders = ({ limit, remaining, resetAt }: Rate): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetAt),
})

/**
 * Returns the 429 error of a request that is over its limit.
 * @param whose follows "requests a minute" in the message, to say which of several limits was exceeded
 */
export function overLimit(rate: Rate, now: Date, whose = ''): AppError {
  return new AppError(
    'rate_limited',
    `More than ${rate.limit} requests a minute${whose && ` ${whose}`}; try again when the minute is over`,
    {
      retryAfter: Math.max(1, rate.resetAt - Math.floor(now.getTime() / 1000)),
    },
  )
}
