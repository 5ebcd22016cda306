import type { Config } from '../../src/platform/config/config.ts'
import type { RedisClient } from '../../src/platform/redis/client.ts'
import type { Log } from '../../src/platform/runtime/log.ts'
import type { Metrics } from '../../src/platform/runtime/metrics.ts'
import type { Pools } from './pools.ts'

/** What the parts of an ingest process work with. */
export interface Parts {
  config: Config
  databaseUrl: string
  redisUrl: string
  pools: Pools
  redis: RedisClient
  log: Log
  metrics: Metrics
  now: () => Date
  /** Programs of threads. */
  threads: { rollup: URL; patterns: URL }
}

/** A part that runs until it is told to stop. */
export interface Running {
  /** Ends what is being done in order, or leaves it to be done again. */
  stop(): Promise<unknown>
}
