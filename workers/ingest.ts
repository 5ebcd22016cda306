import { join } from 'node:path'
import { forgetExpired } from '../src/accounts/forget-expired.ts'
import { loadConfig } from '../src/config.ts'
import { connectDb } from '../src/db/connect.ts'
import { checkDatabase, migrate } from '../src/db/migrate.ts'
import { addressesOf, folderOfServers, hasEmbeddedDatabase } from '../src/embedded/attach.ts'
import { openGeo } from '../src/ingestion/edge/geo.ts'
import { EXIT_PAGE_JOBS } from '../src/ingestion/fill-exit-pages.ts'
import type { HitBatch } from '../src/ingestion/hit.ts'
import type { ReplayJob } from '../src/ingestion/replays/job.ts'
import { createReplayConsumer } from '../src/ingestion/replays/replay-consumer.ts'
import { createHitConsumer } from '../src/ingestion/store/hit-consumer.ts'
import { STORE_RETRY } from '../src/ingestion/store/store.ts'
import { retry } from '../src/lib/retry.ts'
import { HOUR_MS } from '../src/lib/time.ts'
import { forgetReports, sendReports } from '../src/notifications/reports/deliveries/job.ts'
import { startWebhooks, WEBHOOK_JOBS } from '../src/notifications/webhooks/webhook-worker.ts'
import { erasePeople } from '../src/people/erase/erase-people.ts'
import { createBoundedQueue } from '../src/queue/bounded-queue.ts'
import { createConsumer, watchForStandstill } from '../src/queue/consumer.ts'
import { createProducer } from '../src/queue/producer.ts'
import { connectPatientRedis, connectRedis, whenReady } from '../src/redis/connect.ts'
import { createLease } from '../src/redis/lease.ts'
import { MAX_QUEUED_BYTES } from '../src/replays/bounds.ts'
import { REPLAY_JOBS } from '../src/replays/expire-replays.ts'
import { RETENTION_JOBS } from '../src/retention/jobs.ts'
import { importDueSites } from '../src/revenue/import/import-site.ts'
import { recomputeAllSites } from '../src/revenue/subscriptions/recompute-queue.ts'
import { REFRESHING } from '../src/rollups/keep-refreshed.ts'
import { runTask } from '../src/rollups/protocol.ts'
import { startScheduler } from '../src/rollups/scheduler.ts'
import { watchDisk } from '../src/runtime/disk.ts'
import { createLog } from '../src/runtime/log.ts'
import { createMetrics, exchangeMetrics } from '../src/runtime/metrics.ts'
import { PURGE_JOBS } from '../src/sites/purge-deleted-sites.ts'
import { createFairPool } from '../src/threads/fair-pool.ts'
import { createPool } from '../src/threads/pool.ts'
import { DAILY_EXPORT, runDailyExport } from '../src/transfer/daily/run-daily.ts'
import { openTarget } from '../src/transfer/daily/target.ts'
import { IMPORT_JOBS } from '../src/transfer/imports/expire.ts'
import { startImportWorker } from '../src/transfer/imports/worker.ts'
import { TOTALS_JOBS } from '../src/transfer/totals/jobs.ts'
import { createBackgroundReads } from './background-reads.ts'
import { onStop, reportReady, yieldToOthers } from './lifecycle.ts'

/** Entry of an ingest process: stores queued hits, and runs the scheduled jobs while it holds the lease. */
yieldToOthers()
const config = loadConfig()
const log = createLog({ level: config.logLevel, role: 'ingest' })
let stop = async () => {}
onStop(log, () => stop())

const { databaseUrl, redisUrl } = addressesOf(config)
const db = connectDb(databaseUrl, {
  max: 6,
  name: 'analytics-ingest',
  // Without these limits a consumer that hangs or has crashed would keep the lock of its partition and block the others.
  settings: {
    idle_in_transaction_session_timeout: '30s',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '5',
    tcp_keepalives_count: '3',
  },
})
/** Pool for session replays: they never take a connection that hits wait for. */
const replayDb = connectDb(databaseUrl, {
  max: 2,
  name: 'analytics-replays',
  settings: { idle_in_transaction_session_timeout: '30s' },
})
/** Pool for long jobs. The separate name distinguishes its connections from those that store hits. */
const jobs = connectDb(databaseUrl, {
  max: 2,
  name: 'analytics-jobs',
  settings: { statement_timeout: '10min', idle_in_transaction_session_timeout: '30s' },
})
/** Pool for messages to webhooks: a slow receiver holds no connection, and long jobs do not delay them. */
const webhookDb = connectDb(databaseUrl, {
  max: 4,
  name: 'analytics-webhooks',
  settings: { statement_timeout: '1min', idle_in_transaction_session_timeout: '30s' },
})
const redis = connectRedis(redisUrl, log)
await whenReady(redis, 10_000)

// The primary does this too, but under PM2 this process cannot know whether the primary has finished it.
const prepare = () => checkDatabase(jobs).then(() => migrate(jobs))
await retry(prepare, {
  ...STORE_RETRY,
  onRetry: (error, attempt) => log.warn({ error, attempt }, 'waiting for the database'),
})

const metrics = createMetrics('ingest')
const subscriber = connectPatientRedis(redisUrl, log)
exchangeMetrics({ redis, subscriber, registry: metrics.registry })

const hitConsumer = createHitConsumer({ db, queue: createProducer<HitBatch>(redis), log, metrics })
const consumer = createConsumer<HitBatch>({ redisUrl, concurrency: 100, log, handle: hitConsumer.consume })
const replayConsumer = createReplayConsumer({
  db: replayDb,
  queue: createBoundedQueue<ReplayJob>(redis, 'replays', MAX_QUEUED_BYTES),
  producer: createProducer<ReplayJob>(redis, 'replays'),
  log,
  metrics,
  now: () => new Date(),
})
const replays = createConsumer<ReplayJob>({
  queue: 'replays',
  redisUrl,
  concurrency: 2,
  log,
  handle: replayConsumer.consume,
})
// A rollup handles whole days at once: its own thread keeps it from delaying hits.
const rollupPool = createPool({
  entry: new URL('./rollup.js', import.meta.url),
  threads: 1,
  tasksPerThread: 4,
  // A server runs other statements at the same time. The embedded database runs nothing else meanwhile: 20 s at most.
  workerData: { databaseUrl, timeout: hasEmbeddedDatabase(config) ? '20s' : '10min' },
  isIdle: true,
})
const now = () => new Date()
const background = createBackgroundReads({ databaseUrl, config })
/** Pool for imports: they never take a connection that hits wait for. */
const importDb = connectDb(databaseUrl, {
  max: 2,
  name: 'analytics-imports',
  // Opening chunks of the columnstore for writing may take long.
  settings: { statement_timeout: '0', idle_in_transaction_session_timeout: '30s' },
})
const disk = watchDisk({ folder: folderOfServers(config), minFreeBytes: config.minFreeBytes })
const imports = startImportWorker({
  db: importDb,
  lease: createLease(redis, REFRESHING),
  log,
  geo: await openGeo(config.geoipDatabase),
  now: () => new Date(),
  batchHits: hasEmbeddedDatabase(config) ? 1_000 : 2_000,
  folder: join(config.dataDir, 'imports'),
  async requireFreeDisk() {
    if (disk.isShort()) throw new Error('the disk is nearly full (MIN_FREE_DISK)')
  },
})
const scheduler = startScheduler({
  db: jobs,
  redis,
  rollUp: day => runTask(rollupPool, 'rollUpDay', day),
  lease: createLease(redis, 'scheduler'),
  refreshing: createLease(redis, REFRESHING),
  log,
  now,
  jobs: [
    ...PURGE_JOBS,
    ...RETENTION_JOBS,
    ...REPLAY_JOBS,
    ...EXIT_PAGE_JOBS,
    ...IMPORT_JOBS,
    ...TOTALS_JOBS,
    ...WEBHOOK_JOBS,
    { name: 'recompute subscriptions', everyMs: 10_000, run: ({ db }) => recomputeAllSites({ db, log }) },
    {
      name: 'import the past of payment processors',
      everyMs: 5_000,
      run: ({ db }) => importDueSites({ db, log, config, now: () => new Date() }),
    },
    { name: 'forget expired sessions', everyMs: HOUR_MS, run: ({ db }, now) => forgetExpired(db, now) },
    {
      name: 'send reports',
      everyMs: 10_000,
      run: ({ db }, at) => sendReports({ db, ...background.services, config, log, now }, at),
    },
    { name: 'forget reports', everyMs: HOUR_MS, run: ({ db }, at) => forgetReports(db, at) },
    { name: 'erase people', everyMs: 10_000, run: ({ db }, now) => erasePeople({ db, log }, now) },
  ],
})
const stopDailyExport = config.exportTo
  ? runDailyExport({
      db: jobs,
      target: await openTarget(config.exportTo),
      workFolder: join(config.dataDir, 'exports'),
      lease: createLease(redis, DAILY_EXPORT),
      log,
      now: () => new Date(),
    })
  : async () => {}
const PATTERN_HEAP_MB = 256
/** Regular expressions of goals may take long: a thread keeps them from delaying hits. It starts when one is needed. */
const patternPool = createFairPool(
  createPool({
    entry: new URL('./patterns.js', import.meta.url),
    threads: 1,
    isIdle: true,
    heapMb: PATTERN_HEAP_MB,
  }),
  { places: 1, waiting: 1 },
)
const webhooks = startWebhooks({
  db: webhookDb,
  lease: createLease(redis, 'webhooks'),
  patterns: patternPool,
  config,
  log,
  now: () => new Date(),
})
const watchdog = watchForStandstill({
  redis,
  log,
  progress: () => hitConsumer.counts.batches + hitConsumer.waiting(),
  isBusy: () => hitConsumer.waiting() > 0,
})

const replayWatchdog = watchForStandstill({
  queue: 'replays',
  redis,
  log,
  progress: () => replayConsumer.done() + replayConsumer.waiting(),
  isBusy: () => replayConsumer.waiting() > 0,
})

stop = async () => {
  watchdog.stop()
  replayWatchdog.stop()
  hitConsumer.stop()
  replayConsumer.stop()
  await Promise.all([
    consumer.close(2_500),
    replays.close(2_500),
    scheduler.stop(),
    stopDailyExport(),
    webhooks.stop(),
    imports.stop(),
  ])
  await Promise.all([rollupPool.close(), patternPool.close(), background.close()])
  await Promise.all([db, replayDb, importDb, jobs, webhookDb].map(pool => pool.end({ timeout: 2 })))
  disk.stop()
  subscriber.disconnect()
  redis.disconnect()
}
reportReady()
log.info({}, 'ingest process is ready')
