import { createGenerationCache } from '../../infra/generation-cache.ts'

const LONGEST_KEY = 1_000

/**
 * Remembers the answers of a pure function for at most `limit` keys, the recently used ones first. The few agents
 * and hosts that most hits share are computed once; a flood of invented ones takes no more memory than that.
 * Of a longer key only the first 1,000 characters count.
 */
export function remember<T>(limit: number, compute: (key: string) => T): (key: string) => T {
  const known = createGenerationCache<string, { value: T }>(limit)

  return fullKey => {
    const key = fullKey.length > LONGEST_KEY ? copyStart(fullKey) : fullKey
    const held = known.get(key)
    if (held) return held.value
    const value = compute(key)
    known.set(key, { value })
    return value
  }
}

/** A bare slice would keep the whole string in memory. */
function copyStart(text: string): string {
  return Buffer.from(text.slice(0, LONGEST_KEY), 'utf16le').toString('utf16le')
}
