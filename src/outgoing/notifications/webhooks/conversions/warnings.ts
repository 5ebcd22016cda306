import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../../../platform/lib/time.ts'
import type { Log } from '../../../../platform/runtime/log.ts'

export type Warn = (siteNo: number, details: object, message: string) => void

/** Returns a function that logs the same message of a site once a minute at most: it may be true of every round. */
export function createWarnings(log: Log): Warn {
  const logged = new LRUCache<string, true>({ max: 10_000, ttl: MINUTE_MS })
  return (siteNo, details, message) => {
    const key = `${siteNo}/${message}`
    if (logged.has(key)) return
    logged.set(key, true)
    log.warn({ siteNo, ...details }, message)
  }
}
