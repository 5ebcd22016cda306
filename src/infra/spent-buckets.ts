import type { Charge, Rate } from './rate-limit.ts'

/** The buckets that this process knows to have nothing left in the running window. */
export interface SpentBuckets {
  has(key: string): boolean
  /** Remembers the bucket when this was its last request that is allowed, or one beyond. */
  note(charge: Charge, rate: Rate): void
  /** The rate of one more request of a spent bucket: over the limit. Undefined while the bucket may have some left. */
  rateOf(charge: Charge): Rate | undefined
}

/** Memory is bounded by the limits themselves: a bucket costs its sender as many requests as the limit allows. */
export function createSpentBuckets(now: () => Date): SpentBuckets {
  const keys = new Set<string>()
  /** End of the window that the keys are of, Unix seconds. */
  let resetAt = 0

  function has(key: string): boolean {
    if (keys.size > 0 && now().getTime() >= resetAt * 1000) keys.clear()
    return keys.has(key)
  }

  return {
    has,
    note({ key }, rate) {
      if (rate.remaining > 0 || rate.resetAt < resetAt) return
      if (rate.resetAt > resetAt) keys.clear()
      resetAt = rate.resetAt
      keys.add(key)
    },
    rateOf({ key, limit }) {
      return has(key) ? { isAllowed: false, limit, remaining: 0, resetAt } : undefined
    },
  }
}
