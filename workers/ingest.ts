import { STORE_RETRY } from '../src/ingestion/store/store.ts'
import { loadConfig } from '../src/platform/config/config.ts'
import { checkDatabase, migrate } from '../src/platform/db/migrate.ts'
import { watchUnreplicated } from '../src/platform/db/unreplicated.ts'
import { addressesOf } from '../src/platform/embedded/addresses.ts'
import { retry } from '../src/platform/lib/retry.ts'
import { connectPatientRedis, connectRedis, whenReady } from '../src/platform/redis/connect-redis.ts'
import { exchangeMetrics } from '../src/platform/redis/metrics-exchange.ts'
import { createLog } from '../src/platform/runtime/log.ts'
import { createMetrics } from '../src/platform/runtime/metrics.ts'
import { startBackground } from './ingest/background.ts'
import type { Parts } from './ingest/parts.ts'
import { connectPools, endPools } from './ingest/pools.ts'
import { storeQueuedHits, storeQueuedReplays } from './ingest/storing.ts'
import { endOnUnhandled, onStop, reportReady, yieldToOthers } from './lifecycle.ts'

/** Entry of an ingest process: stores queued hits, and runs the scheduled jobs while it holds the lease. */
yieldToOthers()
const config = loadConfig()
const log = createLog({ level: config.logLevel, role: 'ingest' })
endOnUnhandled(log)
let stop = async () => {}
onStop(log, () => stop())

const { databaseUrl, redisUrl } = addressesOf(config)
const pools = connectPools(databaseUrl)
const redis = connectRedis(redisUrl, log)
await whenReady(redis, 10_000)

// The primary does this too, but under PM2 this process cannot know whether the primary has finished it.
const prepare = () => checkDatabase(pools.jobs).then(() => migrate(pools.jobs))
await retry(prepare, {
  ...STORE_RETRY,
  onRetry: (error, attempt) => log.warn({ error, attempt }, 'waiting for the database'),
})

const metrics = createMetrics('ingest')
watchUnreplicated(log, metrics.unreplicated)
const subscriber = connectPatientRedis(redisUrl, log)
exchangeMetrics({ redis, subscriber, registry: metrics.registry })

// Paths of threads begin at this file: the build makes one file of it and what it imports.
const threads = {
  rollup: new URL('./rollup.js', import.meta.url),
  patterns: new URL('./patterns.js', import.meta.url),
}
const now = () => new Date()
const parts: Parts = { config, databaseUrl, redisUrl, pools, redis, log, metrics, now, threads }
const running = [storeQueuedHits(parts), storeQueuedReplays(parts), await startBackground(parts)]

stop = async () => {
  await Promise.all(running.map(each => each.stop()))
  await endPools(pools)
  subscriber.disconnect()
  redis.disconnect()
}
reportReady()
log.info({}, 'ingest process is ready')
