import type { Config } from '../src/platform/config/config.ts'
import { connectDb, connectReads, type Db } from '../src/platform/db/connect.ts'
import { createReplicas } from '../src/platform/db/replicas.ts'
import type { RedisClient } from '../src/platform/redis/client.ts'
import { createSeenPositions } from '../src/platform/redis/seen-positions.ts'
import type { Log } from '../src/platform/runtime/log.ts'
import type { ThreadPool } from '../src/platform/threads/pool.ts'

/** Longer than any difference between the clocks and questions of processes. */
const MARGIN_MS = 3_000

/** Connects the servers of `DATABASE_READ_URLS`; returns undefined when there are none. */
export function connectReplicas(parts: {
  config: Config
  db: Db
  /** Threads that got the same servers in the same order. */
  rollups: ThreadPool
  redis: RedisClient
  log: Log
}) {
  const { config, db, rollups, redis, log } = parts
  const { databaseReadUrls: urls, readMaxLagMs: maxLagMs } = config
  if (urls.length === 0) return undefined
  const replicas = urls.map((url, index) => ({
    db: connectDb(url, { max: 2, name: 'analytics-lag', pool: 'lag' }),
    source: { reads: connectReads(url, { max: 6 }), rollups: rollups.on(index + 1) },
  }))
  const seen = createSeenPositions(redis, maxLagMs + MARGIN_MS)
  const spread = createReplicas({ primary: db, replicas, seen, maxLagMs, log, now: Date.now })
  return {
    ...spread,
    async end() {
      spread.stop()
      await Promise.all(
        replicas.flatMap(({ db, source }) => [db.end({ timeout: 2 }), source.reads.end({ timeout: 2 })]),
      )
    },
  }
}
