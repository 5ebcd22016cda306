const LONGEST_KEY = 1_000

/**
 * Remembers the answers of a pure function for at most `limit` keys, the recently used ones first. The few agents
 * and hosts that most hits share are computed once; a flood of invented ones takes no more memory than that.
 * Of a longer key only the first 1,000 characters count.
 *
 * Two generations instead of one ordered Map: deleting a Map's oldest key again and again makes finding the next one
 * slow (60 µs for each new key at 10,000).
 */
export function remember<T>(limit: number, compute: (key: string) => T): (key: string) => T {
  let young = new Map<string, { value: T }>()
  let old = young

  return fullKey => {
    const key = fullKey.length > LONGEST_KEY ? copyStart(fullKey) : fullKey
    const fresh = young.get(key)
    if (fresh) return fresh.value

    const answer = old.get(key) ?? { value: compute(key) }
    if (young.size >= limit / 2) {
      old = young
      young = new Map()
    }
    young.set(key, answer)
    return answer.value
  }
}

/** A bare slice would keep the whole string in memory. */
function copyStart(text: string): string {
  return Buffer.from(text.slice(0, LONGEST_KEY), 'utf16le').toString('utf16le')
}
