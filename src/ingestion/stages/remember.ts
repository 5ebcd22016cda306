import { LRUCache } from 'lru-cache'

const LONGEST_KEY = 1_000

/**
 * Caches the results of a pure function for at most `limit` recently used keys. Most hits share a few agents and hosts,
 * which are computed once; a flood of invented keys cannot exceed the limit. A longer key is cut to its first
 * 1,000 characters.
 */
export function remember<T>(limit: number, compute: (key: string) => T): (key: string) => T {
  const known = new LRUCache<string, { value: T }>({ max: limit })

  return fullKey => {
    const key = fullKey.length > LONGEST_KEY ? copyStart(fullKey) : fullKey
    const held = known.get(key)
    if (held) return held.value
    const value = compute(key)
    known.set(key, { value })
    return value
  }
}

/** Copies the text: a plain slice would keep the whole string in memory. */
function copyStart(text: string): string {
  return Buffer.from(text.slice(0, LONGEST_KEY), 'utf16le').toString('utf16le')
}
