import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db/connect.ts'
import { dialect } from '../../platform/db/dialects/chosen-dialect.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'

/** Pause before servers that did not answer are asked again. */
const ASK_AGAIN_MS = 2_000
const SHORTEST_WAIT_MS = 2_000

/**
 * Remembers sites whose database server does not answer. Their hits wait in the queue, so that a batch with hits of many sites is
 * stored without them; otherwise one server that is down would hold up the sites of all others.
 * @param find returns these sites; [] when every server answers
 */
export function createUnreachableSites(db: Db, find: (db: Db) => Promise<number[]>) {
  let siteNos: ReadonlySet<number> = new Set()
  let isWatching = false
  let isStopped = false

  async function ask(): Promise<void> {
    siteNos = new Set(await find(db))
    if (siteNos.size > 0 && !isWatching) void watch()
  }

  /** Asks again until every server answers. When the database itself fails, the last answer counts. */
  async function watch(): Promise<void> {
    isWatching = true
    while (siteNos.size > 0 && !isStopped) {
      await sleep(ASK_AGAIN_MS, undefined, { ref: false })
      await ask().catch(() => {})
    }
    isWatching = false
  }

  return {
    has: (siteNo: number) => siteNos.has(siteNo),
    /** Asks which sites are unreachable. Call it when storing has failed. @throws the database error */
    ask,
    stop() {
      isStopped = true
    },
  }
}

/** Returns the sites that the database of this process says are unreachable. */
export const unreachableSites = (db: Db): Promise<number[]> => dialect().unreachableSites(db)

/**
 * Returns how long a hit waits in the queue until the next attempt: half of its age, so that hits of a long outage are not queued again
 * and again, and at most a minute, which is how much later than the server they may come back.
 * @param ageMs milliseconds since the hit was received
 */
export const waitOf = (ageMs: number): number => Math.min(Math.max(ageMs / 2, SHORTEST_WAIT_MS), MINUTE_MS)
