/** Owner of a place, by what its places are limited by. */
type Holder<Key extends string> = Readonly<Record<Key, string | number>>

/**
 * Returns places for work that runs at once: so many in all, and at most so many for the same value of each key, such as a site.
 * @param limits.all at least as many as each other limit
 */
export function createPlaces<Key extends string>(limits: Readonly<Record<Key | 'all', number>>) {
  const { all, ...ofKeys } = limits as Record<string, number> & { all: number }
  const keys = Object.keys(ofKeys) as Key[]
  const taken = new Map<Key, Map<string | number, number>>(keys.map(key => [key, new Map()]))
  let used = 0

  return {
    free: () => all - used,
    /** Returns the values of a key that have no place left. */
    full: <Value extends string | number>(key: Key): Value[] =>
      [...taken.get(key)!].flatMap(([value, count]) => (count >= limits[key] ? [value as Value] : [])),
    /** Returns the values of a key that have a place. */
    holders: <Value extends string | number>(key: Key): Value[] => [...taken.get(key)!.keys()] as Value[],
    /** @returns false when the holder has no place left; nothing is taken then */
    take(holder: Holder<Key>): boolean {
      if (used >= all) return false
      if (keys.some(key => (taken.get(key)!.get(holder[key]) ?? 0) >= limits[key])) return false
      used += 1
      for (const key of keys) {
        const counts = taken.get(key)!
        counts.set(holder[key], (counts.get(holder[key]) ?? 0) + 1)
      }
      return true
    },
    leave(holder: Holder<Key>): void {
      used -= 1
      for (const key of keys) {
        const counts = taken.get(key)!
        const count = counts.get(holder[key])! - 1
        if (count === 0) counts.delete(holder[key])
        else counts.set(holder[key], count)
      }
    },
  }
}
