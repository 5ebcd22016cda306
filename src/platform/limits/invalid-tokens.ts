import { LRUCache } from 'lru-cache'
import { type RateLimitDecision, windowAt, windowEnd } from './rate-limit.ts'

const MAX_KNOWN = 10_000
/** Most networks that are counted in a minute: about 100 bytes each. */
const MAX_NETWORKS = 20_000

/**
 * Limits the cost of invented tokens. Any client can compute the checksum of a token, so each well-formed token needs a
 * database look-up. The counts are kept in this process: a count in Redis would cost about as much as the look-up it saves.
 */
export function createInvalidTokens(now: () => Date) {
  const good = new LRUCache<string, true>({ max: MAX_KNOWN })
  const attempts = new Map<string, number>()
  let window = 0

  const keyOf = (hash: Buffer) => hash.toString('latin1')

  return {
    /**
     * Counts a token as invalid before its look-up, unless it was valid before. Counting first includes concurrent calls.
     * @param limit look-ups of invalid tokens per minute; 0 for no limit
     * @returns undefined without a limit, and for a token that was valid before
     */
    attempt(network: string, hash: Buffer, limit: number): RateLimitDecision | undefined {
      if (limit === 0 || good.get(keyOf(hash))) return undefined
      const running = windowAt(now().getTime())
      if (running !== window) attempts.clear()
      window = running
      const count = (attempts.get(network) ?? 0) + 1
      if (count > 1 || attempts.size < MAX_NETWORKS) attempts.set(network, count)
      const remaining = Math.max(0, limit - count)
      return { isAllowed: count <= limit, limit, remaining, resetAt: windowEnd(running) }
    },
    /** Removes a counted attempt, since the token is valid. */
    succeed(network: string, hash: Buffer) {
      good.set(keyOf(hash), true)
      const count = attempts.get(network)
      if (count) attempts.set(network, count - 1)
    },
    /** Records that a token is no longer valid, so that its next attempts count. */
    fail(hash: Buffer) {
      good.delete(keyOf(hash))
    },
  }
}

export type InvalidTokens = ReturnType<typeof createInvalidTokens>
