import { createGenerationCache } from './generation-cache.ts'
import { type Rate, windowAt, windowEnd } from './rate-limit.ts'

/** Tokens that are remembered as good. */
const MAX_KNOWN = 10_000
/** Networks that are counted in a minute: about 100 bytes each. */
const MAX_NETWORKS = 20_000

/**
 * Bounds what made-up tokens cost. Anybody can compute the checksum of a token, so that each well-formed one takes a look-up
 * in the database. Counted in this process: a count in Redis would cost about as much as the look-up that it spares.
 */
export interface InvalidTokens {
  /**
   * Counts a token as invalid before it is looked up, unless it was good before: calls that come at once are all counted.
   * @param limit look-ups of invalid tokens a minute; 0 for no limit
   * @returns undefined without a limit, and for a token that was good before
   */
  attempt(network: string, hash: Buffer, limit: number): Rate | undefined
  /** Takes an attempt back that was counted: the token is good. */
  succeed(network: string, hash: Buffer): void
  /** A token that was good before is no more, so that its next attempts count. */
  fail(hash: Buffer): void
}

export function createInvalidTokens(now: () => Date): InvalidTokens {
  const good = createGenerationCache<string, boolean>(MAX_KNOWN)
  const attempts = new Map<string, number>()
  let window = 0

  const keyOf = (hash: Buffer) => hash.toString('latin1')

  return {
    attempt(network, hash, limit) {
      if (limit === 0 || good.get(keyOf(hash))) return undefined
      const running = windowAt(now().getTime())
      if (running !== window) attempts.clear()
      window = running
      const count = (attempts.get(network) ?? 0) + 1
      if (count > 1 || attempts.size < MAX_NETWORKS) attempts.set(network, count)
      const remaining = Math.max(0, limit - count)
      return { isAllowed: count <= limit, limit, remaining, resetAt: windowEnd(running) }
    },
    succeed(network, hash) {
      good.set(keyOf(hash), true)
      const count = attempts.get(network)
      if (count) attempts.set(network, count - 1)
    },
    fail(hash) {
      if (good.get(keyOf(hash))) good.set(keyOf(hash), false)
    },
  }
}
