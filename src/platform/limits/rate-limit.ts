import { AppError } from '../errors.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RedisClient } from '../redis/client.ts'
import { answered } from '../redis/connect-redis.ts'
import { type Lane, laneIndexOf, lanesOf } from '../redis/lanes.ts'
import { declareScript } from '../redis/script.ts'

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
 * Lua function that counts requests in the fields of KEYS[1], the counters of a window. It gets the lifetime of the counters in
 * milliseconds, and the JSON text of three lists: the fields, the number of requests of each, and the count above which it is over the
 * limit (0 for no limit). One text costs the worker and Redis less than three arguments for each sender. It uses one read and one write
 * for all counters, since each command of a script costs time and a line in the log of Redis. The first call of a window removes
 * KEYS[2], a window that is no longer counted: the expiry of so many counters would block all clients.
 * Counts are written neither to the log of Redis nor to its replicas: with `appendfsync always`, each answer would wait for the disk. A server that
 * starts again, or that takes over, begins the minute at zero. Before version 7, a server may be set to replicate scripts instead of their commands: the script asks for commands. Removing a window is told to replicas: one that has copied it would keep it.
 */
export const COUNT_REQUESTS = `
local function countRequests(lifetime, requests)
  local names, added, limits = unpack(cjson.decode(requests))
  local counts, written, isOver = redis.call('hmget', KEYS[1], unpack(names)), {}, false
  for index, before in ipairs(counts) do
    local count = (tonumber(before) or 0) + added[index]
    local limit = limits[index]
    isOver = isOver or limit > 0 and count > limit
    counts[index], written[2 * index - 1], written[2 * index] = count, names[index], count
  end
  local isNew = redis.call('exists', KEYS[1]) == 0
  if redis.replicate_commands then redis.replicate_commands() end
  redis.set_repl(redis.REPL_NONE)
  redis.call('hset', KEYS[1], unpack(written))
  if isNew then redis.call('pexpire', KEYS[1], lifetime) end
  redis.set_repl(redis.REPL_ALL)
  if isNew then redis.call('unlink', KEYS[2]) end
  return counts, isOver
end`

/** Keys and values of `countRequests`: the requests of one window by counter, with at least one counter. */
export interface CountArguments {
  keys: [window: string, outdated: string]
  values: [lifetime: number, requests: string]
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

/** Returns the arguments that count requests of one lane in a window; a limit of 0 is no limit. */
export function countArguments(
  window: number,
  counters: Iterable<[key: string, added: number, limit: number]>,
  { tag }: Lane,
): CountArguments {
  const names: string[] = []
  const numbers: number[] = []
  const limits: number[] = []
  for (const [key, added, limit] of counters) {
    names.push(key)
    numbers.push(added)
    limits.push(limit)
  }
  return {
    keys: [`${tag}limit:${window}`, `${tag}limit:${window - 2}`],
    values: [3 * WINDOW_MS, JSON.stringify([names, numbers, limits])],
  }
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

/**
 * Fixed one-minute windows in Redis, shared by all workers and hosts. They are exact: the first `limit` requests of a window
 * are allowed, in whichever process they are counted.
 */
export function createRateLimiter(redis: RedisClient, now: () => Date) {
  const script = declareScript<number[]>(
    redis,
    'countRequests',
    `${COUNT_REQUESTS}\nreturn (countRequests(ARGV[1], ARGV[2]))`,
  )
  const lanes = lanesOf(redis)

  async function countInLane(lane: Lane, window: number, limits: RateLimit[]): Promise<RateLimitDecision[]> {
    const counters = countByKey(limits)
    const all = [...counters].map(([key, { added }]): [string, number, number] => [key, added, 0])
    const slices: Promise<number[]>[] = []
    for (let start = 0; start < all.length; start += MAX_COUNTERS) {
      const { keys, values } = countArguments(window, all.slice(start, start + MAX_COUNTERS), lane)
      slices.push(answered(script(keys, values)))
    }
    return decisionsOf(limits, window, counters, (await Promise.all(slices)).flat())
  }

  return {
    /**
     * Counts requests, many in one round trip. Requests that are not allowed count too.
     * @param limits one for each request
     * @throws the error of Redis when it cannot answer
     */
    async count(limits: RateLimit[]): Promise<RateLimitDecision[]> {
      const window = windowAt(now().getTime())
      const laneOf = limits.map(({ key }) => laneIndexOf(key, lanes.length))
      const byLane = new Map(
        [...new Set(laneOf)].map(index => [index, limits.filter((_, place) => laneOf[place] === index)]),
      )
      const counted = new Map(
        await Promise.all(
          [...byLane].map(async ([index, ofLane]) => {
            const decisions = await countInLane(lanes[index]!, window, ofLane)
            return [index, decisions.values()] as const
          }),
        ),
      )
      return laneOf.map(index => counted.get(index)!.next().value!)
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
