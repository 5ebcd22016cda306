import { LRUCache } from 'lru-cache'
import type { RedisClient } from '../redis/client.ts'
import { answered } from '../redis/connect-redis.ts'

/** Redis channel: something was changed that may decide what a token may do. */
const CHANGES = 'token-changes'
/** A revoked token is refused within a second, also where no message arrives. */
const FRESH_MS = 1_000
const MAX_KNOWN = 10_000

interface Known {
  row: Promise<unknown>
  askedAt: number
}

/**
 * Keeps what the database says of valid tokens, for reads: for at most a second from the beginning of the look-up, and until a change. Parallel
 * reads with one token share a look-up.
 * @param clock milliseconds that only grow
 */
export function createKnownTokens(
  redis: RedisClient,
  subscriber: RedisClient,
  clock: () => number = () => performance.now(),
) {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN })
  subscriber.on('message', channel => {
    if (channel === CHANGES) known.clear()
  })
  void subscriber.subscribe(CHANGES).catch(() => {})

  return {
    /**
     * Returns the row of a token.
     * @param load looks it up; undefined for a token that is not valid, which is not kept
     */
    find<Row>(hash: Buffer, load: () => Promise<Row | undefined>): Promise<Row | undefined> {
      const key = hash.toString('latin1')
      const askedAt = clock()
      const last = known.get(key)
      if (last && askedAt - last.askedAt < FRESH_MS) return last.row as Promise<Row | undefined>
      const entry: Known = { row: load(), askedAt }
      known.set(key, entry)
      const drop = () => {
        if (known.peek(key) === entry) known.delete(key)
      }
      entry.row.then(row => row === undefined && drop(), drop)
      return entry.row as Promise<Row | undefined>
    },
    /** Forgets all rows in this process at once, and in all others before it resolves, as far as Redis reaches them. Call it after a change. */
    async forget(): Promise<void> {
      known.clear()
      await answered(redis.publish(CHANGES, '')).catch(() => {})
    },
  }
}

export type KnownTokens = ReturnType<typeof createKnownTokens>
