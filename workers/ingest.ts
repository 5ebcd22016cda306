import { forgetExpired } from '../src/accounts/forget-expired.ts'
import { loadConfig } from '../src/config.ts'
import { connectDb } from '../src/db/connect.ts'
import { checkDatabase, migrate } from '../src/db/migrate.ts'
import { addressesOf, hasEmbeddedDatabase } from '../src/embedded/attach.ts'
import { EXIT_PAGE_JOBS } from '../src/ingestion/fill-exit-pages.ts'
import type { HitBatch } from '../src/ingestion/hit.ts'
import type { ReplayJob } from '../src/ingestion/replays/job.ts'
import { createReplayConsumer } from '../src/ingestion/replays/replay-consumer.ts'
import { createHitConsumer } from '../src/ingestion/store/hit-consumer.ts'
import { STORE_RETRY } from '../src/ingestion/store/store.ts'
import { retry } from '../src/lib/retry.ts'
import { HOUR_MS, MINUTE_MS } from '../src/lib/time.ts'
import { alertJob } from '../src/notifications/alerts/check-rules.ts'
import { startWebhooks, WEBHOOK_JOBS } from '../src/notifications/webhooks/webhook-worker.ts'
import { erasePeople } from '../src/people/erase/erase-people.ts'
import { createBoundedQueue } from '../src/queue/bounded-queue.ts'
import { queueDepth } from '../src/queue/bull-format.ts'
import { createConsumer, watchForStandstill } from '../src/queue/consumer.ts'
import { createProducer } from '../src/queue/producer.ts'
import { connectPatientRedis, connectRedis, whenReady } from '../src/redis/connect.ts'
import { createLease } from '../src/redis/lease.ts'
import { MAX_QUEUED_BYTES } from '../src/replays/bounds.ts'
import { REPLAY_JOBS } from '../src/replays/expire-replays.ts'
import { RETENTION_JOBS } from '../src/retention/jobs.ts'
import { recomputeAllSites } from '../src/revenue/subscriptions/recompute-queue.ts'
import { REFRESHING } from '../src/rollups/keep-refreshed.ts'
import { runTask } from '../src/rollups/protocol.ts'
import { startScheduler } from '../src/rollups/scheduler.ts'
import { createLog } from '../src/runtime/log.ts'
import { createMetrics, exchangeMetrics } from '../src/runtime/metrics.ts'
import { PURGE_JOBS } from '../src/sites/purge-deleted-sites.ts'
import { createFairPool } from '../src/threads/fair-pool.ts'
import { createPool } from '../src/threads/pool.ts'
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
/** Whether hits wait for longer than a moment to be stored. */
async function isBehind(): Promise<boolean> {
  const { oldestAt } = await queueDepth(redis)
  return oldestAt !== undefined && Date.now() - oldestAt > MINUTE_MS
}

const scheduler = startScheduler({
  db: jobs,
  redis,
  rollUp: day => runTask(rollupPool, 'rollUpDay', day),
  lease: createLease(redis, 'scheduler'),
  refreshing: createLease(redis, REFRESHING),
  log,
  now: () => new Date(),
  jobs: [
    ...PURGE_JOBS,
    ...RETENTION_JOBS,
    ...REPLAY_JOBS,
    ...EXIT_PAGE_JOBS,
    ...WEBHOOK_JOBS,
    alertJob({ config, log }, isBehind),
    { name: 'recompute subscriptions', everyMs: 10_000, run: ({ db }) => recomputeAllSites({ db, log }) },
    { name: 'forget expired sessions', everyMs: HOUR_MS, run: ({ db }, now) => forgetExpired(db, now) },
    { name: 'erase people', everyMs: 10_000, run: ({ db }, now) => erasePeople({ db, log }, now) },
  ],
})
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
  await Promise.all([consumer.close(2_500), replays.close(2_500), scheduler.stop(), webhooks.stop()])
  await Promise.all([rollupPool.close(), patternPool.close()])
  await Promise.all([db, replayDb, jobs, webhookDb].map(pool => pool.end({ timeout: 2 })))
  subscriber.disconnect()
  redis.disconnect()
}
reportReady()
log.info({}, 'ingest process is ready')
