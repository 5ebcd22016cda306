/** A cache that forgets what is too old, and what was used longest ago when it holds too much. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, { value: Value; bytes: number; expiresAt: number }>()
  readonly #maxBytes: number
  #bytes = 0

  /** @param maxBytes what all values together may weigh, as `set` is told */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @param now Unix milliseconds; whatever it is where values never expire */
  get(key: string, now = 0): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    if (entry.expiresAt <= now) {
      this.#bytes -= entry.bytes
      return undefined
    }
    // Back at the end: a Map keeps the order in which its keys came.
    this.#entries.set(key, entry)
    return entry.value
  }

  /** What weighs more than all together may is not kept; nor is what the key had before. */
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
