import type { Charge, Rate } from './rate-limit.ts'

/** Buckets that this process knows to be exhausted in the current window. */
export interface SpentBuckets {
  /** Returns whether one more request of the bucket is over its limit. */
  has(charge: Charge): boolean
  /** Records the bucket when this request was the last one allowed, or was over the limit. */
  note(charge: Charge, rate: Rate): void
  /** Returns the rate of one more request of a spent bucket; undefined while the bucket may have requests left. */
  rateOf(charge: Charge): Rate | undefined
}

/** Returns an empty set. The limits bound its memory: to add a bucket, its sender must send as many requests as are allowed. */
export function createSpentBuckets(now: () => Date): SpentBuckets {
  /** The limit that each bucket has reached. */
  const reached = new Map<string, number>()
  /** End of the window of these buckets, Unix seconds. */
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
