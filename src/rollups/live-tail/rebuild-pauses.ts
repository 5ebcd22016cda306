import { MINUTE_MS } from '../../lib/time.ts'
import { TailUnfit } from './tail-shape.ts'

const LONGEST_MS = 30 * MINUTE_MS
/** A tail that lived so long was worth building. */
const STEADY_MS = 10 * MINUTE_MS

/** When the tail of a site may be built again: each tail that lives for a short time doubles the pause before the next attempt. */
export class RebuildPauses {
  readonly #shortestMs: number
  readonly #pauses = new Map<number, number>()
  /** Unix milliseconds. */
  readonly #endsAt = new Map<number, number>()

  constructor(shortestMs: number) {
    this.#shortestMs = shortestMs
  }

  /** Whether a tail may be built now. */
  isOver(siteNo: number, now: number): boolean {
    return now >= (this.#endsAt.get(siteNo) ?? 0)
  }

  /** Begins a pause of a site that has no use of a tail yet. */
  beginShort(siteNo: number, now: number): void {
    this.#endsAt.set(siteNo, now + this.#shortestMs)
  }

  /**
   * Begins the pause after a tail, or after an attempt to build it.
   * @param livedMs how long it lived
   * @param reason why it went
   */
  begin(siteNo: number, now: number, livedMs: number, reason: unknown): void {
    const before = livedMs >= STEADY_MS ? undefined : this.#pauses.get(siteNo)
    const doubled = before === undefined ? this.#shortestMs : Math.min(2 * before, LONGEST_MS)
    const pause = reason instanceof TailUnfit ? LONGEST_MS : doubled
    this.#pauses.set(siteNo, pause)
    this.#endsAt.set(siteNo, now + pause)
  }
}
