import { hash } from 'node:crypto'
import { firstHalfAt } from '../edge/hit-id.ts'

/** Digest that identifies a line when a file is imported again. */
export interface LineDigest {
  /** SHA-256 of the site and the line. */
  bytes: Buffer
  /** Part of `bytes` that is the key for counting equal lines. */
  key: Buffer
}

export function digestOf(siteId: string, text: Buffer): LineDigest {
  const bytes = hash('sha256', Buffer.concat([Buffer.from(siteId), text]), 'buffer')
  return { bytes, key: bytes.subarray(16, 28) }
}

/**
 * Returns the id of the hit of a line: RFC 9562 version 8.
 * @param ordinal number of equal lines before it
 * @param at time of the line, Unix milliseconds
 */
export function hitIdOf(digest: LineDigest, ordinal: number, at: number): string {
  const own = ownBytes(digest, ordinal)
  own[0] = (own[0]! & 0x3f) | 0x80
  const hex = own.toString('hex', 0, 8)
  return `${firstHalfAt(at, 8)}${hex.slice(0, 4)}-${hex.slice(4)}`
}

function ownBytes({ bytes }: LineDigest, ordinal: number): Buffer {
  return ordinal === 0
    ? Buffer.from(bytes)
    : hash('sha256', Buffer.concat([bytes, Buffer.from(String(ordinal))]), 'buffer')
}

/** Maximum lines in memory; they take about 60 MB. */
const CAPACITY = 2 ** 19
const MAX_KEPT = 0.75

/**
 * Counts equal lines in constant memory. Equal lines have the same time, so they are close to each other in a file in time
 * order. Old times are forgotten, and lines of forgotten times cannot be counted any more.
 */
export class Ordinals {
  readonly #capacity: number
  readonly #lines = new Map<string, { at: number; count: number }>()
  /** Lines of this time and earlier are forgotten. */
  #forgottenUntil = Number.NEGATIVE_INFINITY

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity
  }

  /**
   * Returns the number of equal lines before this one.
   * @param digest part of a hash of the line
   * @param at time of the line, Unix milliseconds
   * @returns undefined when lines of that time have been forgotten
   */
  count(digest: Buffer, at: number): number | undefined {
    if (this.#lines.size >= this.#capacity && at > this.#forgottenUntil) this.#forget()
    if (at <= this.#forgottenUntil) return undefined
    const key = digest.toString('latin1')
    const line = this.#lines.get(key)
    if (line) return line.count++
    this.#lines.set(key, { at, count: 1 })
    return 0
  }

  /** Forgets the earlier half of the lines by time. */
  #forget(): void {
    const times = Float64Array.from(this.#lines.values(), ({ at }) => at).sort()
    const median = times[times.length >> 1]!
    const first = times.indexOf(median)
    // If too many lines have the median time, forget this time too: otherwise too few lines would be removed.
    const isCrowded = times.length - first > MAX_KEPT * times.length
    this.#forgottenUntil = isCrowded ? median : times[first - 1]!
    for (const [key, { at }] of this.#lines) if (at <= this.#forgottenUntil) this.#lines.delete(key)
  }
}
