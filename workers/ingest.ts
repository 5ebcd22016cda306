import { loadConfig } from '../src/config.ts'
import { addressesOf } from '../src/embedded/attach.ts'
import { connectDb } from '../src/infra/db.ts'
import { createLease } from '../src/infra/lease.ts'
import { createLog } from '../src/infra/log.ts'
import { createConsumer } from '../src/infra/queue.ts'
import { connectRedis, whenReady } from '../src/infra/redis.ts'
import { watchForStandstill } from '../src/infra/watchdog.ts'
import type { HitBatch } from '../src/ingestion/hit.ts'
import { createIngest } from '../src/ingestion/store/consume.ts'
import { REFRESHING } from '../src/rollups/keep-refreshed.ts'
import { startScheduler } from '../src/rollups/scheduler.ts'
import { onStop, reportReady } from './lifecycle.ts'

/** An ingest process: stores what waits in the queues, and runs the scheduled jobs when it holds the lease. */
const config = loadConfig()
const log = createLog({ level: config.logLevel, role: 'ingest' })
const { databaseUrl, redisUrl } = addressesOf(config)
const db = connectDb(databaseUrl, { max: 6, name: 'analytics-ingest' })
const redis = connectRedis(redisUrl, log)
await whenReady(redis, 10_000)

const ingest = createIngest(db, log)
const consumer = createConsumer<HitBatch>({ redisUrl, concurrency: 50, log, handle: ingest.take })
const scheduler = startScheduler({
  db,
  lease: createLease(redis, 'scheduler'),
  refreshing: createLease(redis, REFRESHING),
  log,
  now: () => new Date(),
})
const watchdog = watchForStandstill({
  redis,
  log,
  progress: () => ingest.counts.batches + ingest.waiting(),
  isBusy: () => ingest.waiting() > 0,
})

onStop(log, async () => {
  watchdog.stop()
  ingest.stop()
  await Promise.all([consumer.close(), scheduler.stop()])
  await db.end({ timeout: 2 })
  redis.disconnect()
})
reportReady()
log.info({}, 'ingest process is ready')
