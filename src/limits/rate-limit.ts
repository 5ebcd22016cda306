import type { Redis } from 'ioredis'
import { AppError } from '../errors.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { answered } from '../redis/connect.ts'

const WINDOW_MS = MINUTE_MS

export interface RateLimit {
  /** Names the counter; never holds a client address. */
  key: string
  /** Requests a minute. */
  limit: number
}

/** Rate-limit decision on one request: the values of the three `X-RateLimit-*` headers, and whether it is allowed. */
export interface RateLimitDecision {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  resetAt: number
}

/**
 * Lua function that counts requests in the fields of KEYS[1], the counters of a window. ARGV from `first` to `last`: the
 * lifetime of the counters in milliseconds, then for each counter its field, the number of requests, and the count above
 * which it is over the limit (0 for no limit). It uses one read and one write for all counters, since each command of a
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

/** Keys and values of `countRequests`: the requests of one window by counter, with at least one counter. */
export interface CountArguments {
  keys: [window: string, outdated: string]
  values: (string | number)[]
}

/** Most counters of one call: Lua unpacks at most 8,000 values at once. */
export const MAX_COUNTERS = 2_000

/** Returns the number of requests of each counter, in the order of each counter's first request. */
export function countByKey(limits: RateLimit[]): Map<string, { added: number; limit: number }> {
  const counters = new Map<string, { added: number; limit: number }>()
  for (const { key, limit } of limits) {
    const counter = counters.get(key)
    if (counter) counter.added += 1
    else counters.set(key, { added: 1, limit })
  }
  return counters
}

/** Number of the window that contains a moment, given in Unix milliseconds. */
export const windowAt = (moment: number): number => Math.floor(moment / WINDOW_MS)

/** Unix seconds at which a window ends. */
export const windowEnd = (window: number): number => ((window + 1) * WINDOW_MS) / 1000

/** Returns the arguments that count requests in a window; a limit of 0 is no limit. */
export function countArguments(
  window: number,
  counters: Iterable<[key: string, added: number, limit: number]>,
): CountArguments {
  const values: (string | number)[] = [3 * WINDOW_MS]
  for (const [key, added, limit] of counters) values.push(key, added, limit)
  return { keys: [`limit:${window}`, `limit:${window - 2}`], values }
}

/**
 * Returns the decision on each request, in the order of `limits`.
 * @param totals values of the counters, in their order; these requests are included, as the last ones
 */
export function decisionsOf(
  limits: RateLimit[],
  window: number,
  counters: Map<string, { added: number }>,
  totals: number[],
): RateLimitDecision[] {
  const resetAt = windowEnd(window)
  const counted = new Map<string, number>()
  let index = 0
  for (const [key, { added }] of counters) counted.set(key, totals[index++]! - added)
  return limits.map(({ key, limit }) => {
    const count = counted.get(key)! + 1
    counted.set(key, count)
    return { isAllowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetAt }
  })
}

interface Counting extends Redis {
  countRequests(keys: number, ...rest: (string | number)[]): Promise<number[]>
}

/**
 * Fixed one-minute windows in Redis, shared by all workers and hosts. They are exact: the first `limit` requests of a window
 * are allowed, in whichever process they are counted.
 */
export function createRateLimiter(redis: Redis, now: () => Date) {
  redis.defineCommand('countRequests', { lua: `${COUNT_REQUESTS}\nreturn (countRequests(1, #ARGV))` })

  function send({ keys, values }: CountArguments): Promise<number[]> {
    return answered((redis as Counting).countRequests(keys.length, ...keys, ...values))
  }

  return {
    /**
     * Counts requests, many in one round trip. Requests that are not allowed count too.
     * @param limits one for each request
     * @throws the error of Redis when it cannot answer
     */
    async count(limits: RateLimit[]): Promise<RateLimitDecision[]> {
      const window = windowAt(now().getTime())
      const counters = countByKey(limits)
      const all = [...counters].map(([key, { added }]): [string, number, number] => [key, added, 0])
      const slices: Promise<number[]>[] = []
      for (let start = 0; start < all.length; start += MAX_COUNTERS) {
        slices.push(send(countArguments(window, all.slice(start, start + MAX_COUNTERS))))
      }
      return decisionsOf(limits, window, counters, (await Promise.all(slices)).flat())
    },
  }
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

export const rateHeaders = ({ limit, remaining, resetAt }: RateLimitDecision): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetAt),
})

/**
 * Returns the 429 error of a request that is over its limit.
 * @param whose follows "requests a minute" in the message, to say which of several limits was exceeded
 */
export function overLimit(decision: RateLimitDecision, now: Date, whose = ''): AppError {
  return new AppError(
    'rate_limited',
    `More than ${decision.limit} requests a minute${whose && ` ${whose}`}; try again when the minute is over`,
    {
      retryAfter: Math.max(1, decision.resetAt - Math.floor(now.getTime() / 1000)),
    },
  )
}

/**
 * Limits that this process knows to be exhausted in the current window, so that it can refuse without Redis. They bound its memory
 * themselves: a sender adds one only by sending as many requests as are allowed.
 */
export function createExhaustedLimits(now: () => Date) {
  /** The limit that each counter has reached. */
  const reached = new Map<string, number>()
  /** End of the window of these counters, Unix seconds. */
  let resetAt = 0

  /** Returns whether one more request is over the limit. */
  function has({ key, limit }: RateLimit): boolean {
    if (reached.size > 0 && now().getTime() >= resetAt * 1000) reached.clear()
    const most = reached.get(key)
    return most !== undefined && limit <= most
  }

  return {
    has,
    /** Records the limit when this request was the last one allowed, or was over it. */
    record({ key, limit }: RateLimit, decision: RateLimitDecision) {
      if (decision.remaining > 0 || decision.resetAt < resetAt) return
      if (decision.resetAt > resetAt) reached.clear()
      resetAt = decision.resetAt
      reached.set(key, limit)
    },
    /** Returns the decision on one more request of an exhausted limit; undefined while requests may be left. */
    refusalOf(limit: RateLimit): RateLimitDecision | undefined {
      return has(limit) ? { isAllowed: false, limit: limit.limit, remaining: 0, resetAt } : undefined
    },
  }
}
