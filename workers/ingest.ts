import { loadConfig } from '../src/config.ts'
import { addressesOf, hasEmbeddedDatabase } from '../src/embedded/attach.ts'
import { connectDb } from '../src/infra/db.ts'
import { createLease } from '../src/infra/lease.ts'
import { createLog } from '../src/infra/log.ts'
import { createMetrics, exchangeMetrics } from '../src/infra/metrics.ts'
import { checkDatabase, migrate } from '../src/infra/migrate.ts'
import { createPool } from '../src/infra/pool.ts'
import { createConsumer } from '../src/infra/queue/consumer.ts'
import { createProducer } from '../src/infra/queue/producer.ts'
import { connectPatientRedis, connectRedis, whenReady } from '../src/infra/redis.ts'
import { watchForStandstill } from '../src/infra/watchdog.ts'
import type { HitBatch } from '../src/ingestion/hit.ts'
import { createIngest } from '../src/ingestion/store/consume.ts'
import { persistently } from '../src/ingestion/store/store-sound.ts'
import { reworkAll } from '../src/revenue/rework.ts'
import { REFRESHING } from '../src/rollups/keep-refreshed.ts'
import { runTask } from '../src/rollups/protocol.ts'
import { startScheduler } from '../src/rollups/scheduler.ts'
import { onStop, reportReady, yieldToOthers } from './lifecycle.ts'

/** An ingest process: stores what waits in the queues, and runs the scheduled jobs when it holds the lease. */
yieldToOthers()
const config = loadConfig()
const log = createLog({ level: config.logLevel, role: 'ingest' })
let stop = async () => {}
onStop(log, () => stop())

const { databaseUrl, redisUrl } = addressesOf(config)
const db = connectDb(databaseUrl, {
  max: 6,
  name: 'analytics-ingest',
  // A consumer that stands still or is gone must not hold its partition's lock against the others.
  settings: {
    idle_in_transaction_session_timeout: '30s',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '5',
    tcp_keepalives_count: '3',
  },
})
/** For what may take long, which is told from storing by its connections. */
const jobs = connectDb(databaseUrl, {
  max: 2,
  name: 'analytics-jobs',
  settings: { statement_timeout: '10min', idle_in_transaction_session_timeout: '30s' },
})
const redis = connectRedis(redisUrl, log)
await whenReady(redis, 10_000)

// Under PM2 nobody says that the primary, which does this too, has come so far.
const prepare = () => checkDatabase(jobs).then(() => migrate(jobs))
await persistently(prepare, {
  isPatient: () => true,
  onWait: (error, attempt) => log.warn({ error, attempt }, 'waiting for the database'),
})

const metrics = createMetrics('ingest')
const subscriber = connectPatientRedis(redisUrl, log)
exchangeMetrics({ redis, subscriber, registry: metrics.registry })

const later = createProducer<HitBatch>(redis)
const ingest = createIngest({ db, later, log, metrics })
const consumer = createConsumer<HitBatch>({ redisUrl, concurrency: 100, log, handle: ingest.take })
// Folding takes whole days at once: hits must not wait for it.
const folding = createPool({
  entry: new URL('./rollup.js', import.meta.url),
  threads: 1,
  tasksPerThread: 4,
  // A server has others beside it; the embedded one does nothing else meanwhile.
  workerData: { databaseUrl, timeout: hasEmbeddedDatabase(config) ? '20s' : '10min' },
  isIdle: true,
})
const scheduler = startScheduler({
  db: jobs,
  redis,
  fold: day => runTask(folding, 'foldDay', day),
  lease: createLease(redis, 'scheduler'),
  refreshing: createLease(redis, REFRESHING),
  log,
  now: () => new Date(),
  jobs: [{ name: 'rework subscriptions', everyMs: 10_000, run: ({ db }) => reworkAll({ db, log }) }],
})
const watchdog = watchForStandstill({
  redis,
  log,
  progress: () => ingest.counts.batches + ingest.waiting(),
  isBusy: () => ingest.waiting() > 0,
})

stop = async () => {
  watchdog.stop()
  ingest.stop()
  await Promise.all([consumer.close(2_500), scheduler.stop()])
  await folding.close()
  await Promise.all([db.end({ timeout: 2 }), jobs.end({ timeout: 2 })])
  subscriber.disconnect()
  redis.disconnect()
}
reportReady()
log.info({}, 'ingest process is ready')
