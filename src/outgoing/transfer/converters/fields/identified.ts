import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../../../platform/lib/time.ts'

/** A session of a visitor ends after this time without a hit, and the next one must be identified again. */
const SESSION_GAP_MS = 30 * MINUTE_MS
/** About 20 MB. One that is forgotten is identified again, which changes nothing. */
const MOST_VISITORS = 100_000

/** Decides which events of identified users need a line of their own that says who the visitor is: one a session. */
export class Identified {
  readonly #visitors = new LRUCache<string, { identifier: string; at: number }>({ max: MOST_VISITORS })

  /**
   * @param identifier of the user; together with what is stored of them, if that may change
   * @param at Unix milliseconds
   */
  isDue(visitorId: string, identifier: string, at: number): boolean {
    const known = this.#visitors.get(visitorId)
    this.#visitors.set(visitorId, { identifier, at })
    return known?.identifier !== identifier || Math.abs(at - known.at) > SESSION_GAP_MS
  }
}
