import type { Log } from './log.ts'

/** How often a failure that goes on is logged again. */
const AGAIN_MS = 60_000
/** An outage without a failure for this long is over. */
const OVER_MS = 10_000
/** Different reasons that are told apart; further ones share a line. */
const MOST_REASONS = 20

interface Outage {
  since: number
  latest: number
  loggedAt: number
  count: number
  /** Failures since the latest line. */
  more: number
}

/** Logs failures that may come by the thousand: a line when they begin, one a minute with their count, one when they are over. */
export interface Outages {
  /** @param details of the first failure, for its line only */
  failed(reason: string, details?: Record<string, unknown>): void
  /** Ends all outages at once, where it is known that they are over; otherwise they end after ten seconds without a failure. */
  over(): void
}

/** @param message what fails, as the first line of an outage says it */
export function createOutages(log: Log, message: string, now: () => number = Date.now): Outages {
  const outages = new Map<string, Outage>()
  let timer: NodeJS.Timeout | undefined

  function end(reason: string, { since, latest, count }: Outage): void {
    outages.delete(reason)
    log.info({ reason, count, seconds: Math.ceil((latest - since) / 1_000) }, `${message}: over`)
  }

  function look(): void {
    const at = now()
    for (const [reason, outage] of outages) {
      if (at - outage.latest >= OVER_MS) end(reason, outage)
      else if (at - outage.loggedAt >= AGAIN_MS) {
        log.warn({ reason, count: outage.more }, `${message}: it goes on`)
        Object.assign(outage, { loggedAt: at, more: 0 })
      }
    }
    if (outages.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    failed(reason, details = {}) {
      const at = now()
      const key = outages.has(reason) || outages.size < MOST_REASONS ? reason : 'other reasons'
      const outage = outages.get(key)
      if (outage) {
        outage.latest = at
        outage.count++
        outage.more++
        return
      }
      outages.set(key, { since: at, latest: at, loggedAt: at, count: 1, more: 0 })
      log.warn({ ...details, reason: key }, message)
      timer ??= setInterval(look, OVER_MS / 2).unref()
    },
    over() {
      for (const [reason, outage] of outages) end(reason, outage)
      look()
    },
  }
}
