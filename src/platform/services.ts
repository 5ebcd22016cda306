import type { Config } from './config/config.ts'
import type { Db } from './db/connect.ts'
import type { Replicas } from './db/replicas.ts'
import type { InvalidTokens } from './limits/invalid-tokens.ts'
import type { KnownTokens } from './limits/known-tokens.ts'
import type { RateLimiter } from './limits/rate-limit.ts'
import type { Reach } from './net/public-fetch.ts'
import type { RedisClient } from './redis/client.ts'
import type { Disk } from './runtime/disk.ts'
import type { Log } from './runtime/log.ts'
import type { Metrics } from './runtime/metrics.ts'
import type { FairPool } from './threads/fair-pool.ts'
import type { Pool } from './threads/pool.ts'

/** Counts by name over the columns of a site. Questions and numbers are structured clones (`src/stats/counts/counter.ts`). */
export interface ColumnCounter {
  count(name: string, siteNo: number, question: unknown, asked: unknown): Promise<unknown>
}

/** Services that operations use. Each operation names the ones that it needs: `Pick<Services, 'db' | 'now'>`. */
export interface Services {
  db: Db
  /** Pool for reads of statistics. It prepares no statement: each is planned with its actual values. */
  reads: Db
  /** Hot standbys that reads of sites may go to; undefined where there are none. */
  replicas?: Replicas<Pick<Services, 'reads' | 'rollups'>> | undefined
  /** Counts over columns, in the columns process of the host. */
  counter: ColumnCounter
  /** Whether statements of `reads` are kept short, since only one runs at a time: those of the embedded database. */
  readsInParts?: boolean
  redis: RedisClient
  config: Config
  log: Log
  /** Threads for CPU-heavy work. */
  rollups: Pool
  /** Threads that check patterns and compare texts with them. Any user can make both slow, so no other work uses these threads. */
  patterns: FairPool
  limiter: RateLimiter
  invalidTokens: InvalidTokens
  knownTokens: KnownTokens
  /** Where pages of sites are fetched from; tests serve them on the local host. */
  pageReach: Reach
  disk: Disk
  metrics: Metrics
  now: () => Date
}
