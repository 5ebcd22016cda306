import type { Redis } from 'ioredis'
import type { Config } from '../config.ts'
import type { Db } from './db.ts'
import type { Disk } from './disk.ts'
import type { FairPool } from './fair-pool.ts'
import type { InvalidTokens } from './invalid-tokens.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Pool } from './pool.ts'
import type { RateLimiter } from './rate-limit.ts'

/** The parts in which rows are read where statements run one at a time: of the time in which visits started. */
export interface SliceLimits {
  /** About how many pageviews and events a part has. */
  hits: number
  /** A part is no shorter, however many it has; milliseconds. */
  shortestMs: number
}

/** What an operation may need from the world. Each names the part it uses: `Pick<Services, 'db' | 'now'>`. */
export interface Services {
  db: Db
  /** For statements that are composed for one request: it prepares none. */
  reads: Db
  /** Where one statement runs at a time: what keeps those of `reads` short. Without it they read all there is at once. */
  slices?: SliceLimits | undefined
  redis: Redis
  config: Config
  log: Log
  /** The threads that do everything CPU-heavy. */
  rollups: Pool
  /** The threads that compare texts with patterns, which anybody may make slow: nobody else's work waits for them. */
  patterns: FairPool
  limiter: RateLimiter
  invalidTokens: InvalidTokens
  disk: Disk
  metrics: Metrics
  now: () => Date
}
