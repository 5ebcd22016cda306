import type { Charge, Rate } from './rate-limit.ts'

/** The buckets that this process knows to have nothing left in the running window. */
export interface SpentBuckets {
  /** Whether one more request of the bucket is over its limit. */
  has(charge: Charge): boolean
  /** Remembers the bucket when this was its last request that is allowed, or one beyond. */
  note(charge: Charge, rate: Rate): void
  /** The rate of one more request of a spent bucket: over the limit. Undefined while the bucket may have some left. */
  rateOf(charge: Charge): Rate | undefined
}

/** Memory is bounded by the limits themselves: a bucket costs its sender as many requests as the limit allows. */
export function createSpentBuckets(now: () => Date): SpentBuckets {
  /** Of each bucket the limit that it has reached. */
  const reached = new Map<string, number>()
  /** End of the window that the buckets are of, Unix seconds. */
  let resetAt = 0

  function has({ key, limit }: Charge): boolean {
    if (reached.size > 0 && now().getTime() >= resetAt * 1000) reached.clear()
    const most = reached.get(key)
    return most !== undefined && limit <= most
  }

  return {
    has,
    note({ key, limit }, rate) {
      if (rate.remaining > 0 || rate.resetAt < resetAt) return
      if (rate.resetAt > resetAt) reached.clear()
      resetAt = rate.resetAt
      reached.set(key, limit)
    },
    rateOf(charge) {
      return has(charge) ? { isAllowed: false, limit: charge.limit, remaining: 0, resetAt } : undefined
    },
  }
}
