/** A cache that drops expired entries, and the least recently used ones when it exceeds its size. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, { value: Value; bytes: number; expiresAt: number }>()
  readonly #maxBytes: number
  #bytes = 0

  /** @param maxBytes largest sum of the `bytes` that `set` receives */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @param now Unix milliseconds; not needed where values never expire */
  get(key: string, now = 0): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    if (entry.expiresAt <= now) {
      this.#bytes -= entry.bytes
      return undefined
    }
    // Move the entry to the end: a Map keeps insertion order, so that its first key is the least recently used one.
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Stores a value. A value larger than the whole cache is not stored, and the old value of the key is removed. */
  set(key: string, value: Value, options: { bytes: number; expiresAt?: number }): void {
    this.#remove(key)
    if (options.bytes > this.#maxBytes) return
    this.#entries.set(key, { value, expiresAt: Number.POSITIVE_INFINITY, ...options })
    this.#bytes += options.bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}
