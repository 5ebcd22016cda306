import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { PAGE_REACH } from '../src/access/sites/check-installation.ts'
import { createApp } from '../src/http/app.ts'
import { createTrackerScript } from '../src/http/assets/tracker-script.ts'
import { createProxyWarning } from '../src/http/client-address.ts'
import { createIngestHandler } from '../src/http/hits/ingest-handler.ts'
import { createReplayHandler } from '../src/http/hits/replay-handler.ts'
import { createHttpServer } from '../src/http/server.ts'
import { openGeo } from '../src/ingestion/edge/geo.ts'
import { createIngestBatcher } from '../src/ingestion/edge/ingest-batcher.ts'
import { createSiteKeys } from '../src/ingestion/edge/site-keys.ts'
import { createSaltStore } from '../src/ingestion/edge/visitor-ids.ts'
import type { HitBatch } from '../src/ingestion/hit.ts'
import { MAX_QUEUED_BYTES } from '../src/ingestion/replays/bounds.ts'
import type { ReplayJob } from '../src/ingestion/replays/replay-job.ts'
import { loadConfig } from '../src/platform/config/config.ts'
import { connectDb, connectReads } from '../src/platform/db/connect.ts'
import { watchUnreplicated } from '../src/platform/db/unreplicated.ts'
import { addressesOf, folderOfServers, hasEmbeddedDatabase } from '../src/platform/embedded/addresses.ts'
import { columnsSocketPathFor } from '../src/platform/embedded/paths.ts'
import { MINUTE_MS } from '../src/platform/lib/time.ts'
import { createInvalidTokens } from '../src/platform/limits/invalid-tokens.ts'
import { createKnownTokens } from '../src/platform/limits/known-tokens.ts'
import { createRateLimiter } from '../src/platform/limits/rate-limit.ts'
import { createBoundedQueue } from '../src/platform/queue/bounded-queue.ts'
import { enqueueByLane } from '../src/platform/queue/rate-limited-enqueue.ts'
import { connectPatientRedis, connectRedis, whenReady } from '../src/platform/redis/connect-redis.ts'
import { exchangeMetrics } from '../src/platform/redis/metrics-exchange.ts'
import { watchDisk } from '../src/platform/runtime/disk.ts'
import { createLog } from '../src/platform/runtime/log.ts'
import { createMetrics } from '../src/platform/runtime/metrics.ts'
import { freeStartMemory } from '../src/platform/runtime/start-memory.ts'
import { createFairPool } from '../src/platform/threads/fair-pool.ts'
import { createPool } from '../src/platform/threads/pool.ts'
import { createAskingCounter } from '../src/stats/columns-process/ask.ts'
import { endOnUnhandled, onStop, whenPrepared } from './lifecycle.ts'
import { connectReplicas } from './replicas.ts'

// Without this, node:cluster would end the process as soon as the primary is gone, even with requests in flight.
if (cluster.worker) cluster.worker.exitedAfterDisconnect = true

const WARM_UP_MS = 5_000

/** Limits for each team in each worker: a dashboard sends about twenty reads at once. */
const PATTERN_PLACES = { places: 2, waiting: 30 }
/** A thread keeps sixteen compiled expressions of up to 8 MB each by RE2JS's count, which is lower than their real size. */
const PATTERN_HEAP_MB = 512

/** A thread keeps sums of days in memory, which the next page uses again. */
const ROLLUP_IDLE_MS = 10 * MINUTE_MS

/** Entry of an HTTP worker: the ingest handler for hits, and Express for everything else. */
const config = loadConfig()
const log = createLog({ level: config.logLevel, role: 'http' })
endOnUnhandled(log)
await whenPrepared()
const { databaseUrl, redisUrl } = addressesOf(config)
const db = connectDb(databaseUrl, { max: 8, name: 'analytics-http', pool: 'http' })
const reads = connectReads(databaseUrl, { max: 6 })
// The embedded database runs one statement at a time: a long read would block the storing of hits.
const readsInParts = hasEmbeddedDatabase(config)
const redis = connectRedis(redisUrl, log)
// A connection that waits for replicas answers nothing meanwhile, so other commands get one of their own.
const hitRedis = config.hitReplicas > 0 ? connectRedis(redisUrl, log) : redis
const subscriber = connectPatientRedis(redisUrl, log)
const geo = await openGeo(config.geoipDatabase)

const rollups = createPool({
  entry: new URL('./rollup.js', import.meta.url),
  threads: config.rollupThreads,
  // A task waits for the database most of the time, so a thread can hold several.
  tasksPerThread: 4,
  idleMs: ROLLUP_IDLE_MS,
  workerData: {
    databaseUrl,
    replicaUrls: config.databaseReadUrls,
  },
})
const patterns = createFairPool(
  createPool({
    entry: new URL('./patterns.js', import.meta.url),
    threads: 1,
    heapMb: PATTERN_HEAP_MB,
  }),
  PATTERN_PLACES,
)
const now = () => new Date()
const limiter = createRateLimiter(redis, now)
const batcher = createIngestBatcher(enqueueByLane<HitBatch>(hitRedis, limiter, now, config.hitReplicas))
const salts = createSaltStore(redis, config.secretKey)
const siteKeys = createSiteKeys(db, subscriber)
const edge = { siteKeys, salts, geo, secretKey: config.secretKey }
const metrics = createMetrics('http')
watchUnreplicated(log, metrics.unreplicated)
const disk = watchDisk({ folder: folderOfServers(config), minFreeBytes: config.minFreeBytes })
await disk.check()
const warnOfProxy = createProxyWarning(log, config.trustProxy)
const ingest = createIngestHandler({ edge, batcher, config, log, metrics, disk, now })
const replays = createReplayHandler({
  edge,
  batcher,
  queue: createBoundedQueue<ReplayJob>(hitRedis, 'replays', MAX_QUEUED_BYTES, config.hitReplicas),
  config,
  log,
  metrics,
  disk,
  now,
})
const script = createTrackerScript(config)
const beforeExpress = [ingest, replays, script]
const exchange = exchangeMetrics({ redis, subscriber, registry: metrics.registry })
const invalidTokens = createInvalidTokens(now)
const knownTokens = createKnownTokens(redis, subscriber)
const replicas = connectReplicas({ config, db, rollups, redis, log })
const counter = createAskingCounter(columnsSocketPathFor(config))
const services = {
  db,
  reads,
  replicas,
  readsInParts,
  counter,
  redis,
  config,
  log,
  rollups,
  patterns,
  limiter,
  metrics,
  disk,
  now,
}
const app = createApp({ ...services, invalidTokens, knownTokens, pageReach: PAGE_REACH }, exchange)

const { server, drain } = createHttpServer(
  (request, response) => {
    warnOfProxy(request.headers['x-forwarded-for'])
    if (!beforeExpress.some(({ handle }) => handle(request, response))) app(request, response)
  },
  { maxConnections: config.maxConnections },
)

onStop(log, async () => {
  disk.stop()
  await drain()
  await batcher.idle()
  await Promise.all([rollups.close(), patterns.close()])
  await Promise.all([db.end({ timeout: 2 }), reads.end({ timeout: 2 }), replicas?.end()])
  counter.close()
  subscriber.disconnect()
  hitRedis.disconnect()
  redis.disconnect()
})

// Loads the sites and opens the connections before the first request, so that a replacement worker answers at full speed.
// If a server is unreachable, the worker starts anyway and answers 503 where it needs that server.
const warmUp = Promise.allSettled([
  siteKeys.preload(),
  whenReady(redis, WARM_UP_MS).then(() => salts.at(Date.now())),
])
await Promise.race([warmUp, sleep(WARM_UP_MS)])
server.listen(config.port, config.host)
freeStartMemory()
