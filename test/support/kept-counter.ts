import type { Db } from '../../src/platform/db/connect.ts'
import { createKeptCounter } from '../../src/stats/columns-process/kept-counter.ts'
import type { Counter } from '../../src/stats/counts/counter.ts'
import { silentLog } from './log.ts'

/** Returns a counter as the columns process has it, that waits for all columns. */
export const keptCounter = (db: Db): Counter =>
  createKeptCounter({
    db,
    maxBytes: 2 ** 30,
    log: silentLog,
    now: Date.now,
    awaitedMs: Number.POSITIVE_INFINITY,
    answerMs: Number.POSITIVE_INFINITY,
    leastPackedHits: 1,
  })
