import { Redis, type RedisOptions } from 'ioredis'
import { withDeadline } from './deadline.ts'
import type { Log } from './log.ts'

/** How long Redis may take to answer what a request waits for. */
const ANSWER_MS = 900

/**
 * A connection for commands that must answer soon or fail: nothing waits for a server that is away, nothing is
 * sent twice. What a request waits for goes through `answered`.
 */
export function connectRedis(url: string, log: Log): Redis {
  return open(url, log, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Fires also when the answer is there and only this process stood still: `answered` is what requests go by.
    commandTimeout: 2_000,
    // A path that is gone says nothing by itself; without this the dead connection would be kept.
    socketTimeout: 2_000,
  })
}

/** A connection that waits for its server however long that takes: subscriptions and queue consumers. */
export function connectPatientRedis(url: string, log: Log): Redis {
  // Longer than a consumer waits for a job in one call.
  return open(url, log, { maxRetriesPerRequest: null, socketTimeout: 15_000 })
}

/**
 * What Redis answers to a command that a request waits for.
 * @throws what Redis throws, or that it takes too long
 */
export function answered<Result>(command: PromiseLike<Result>): Promise<Result> {
  return withDeadline(ANSWER_MS, command, () => new Error('Command timed out'))
}

function open(url: string, log: Log, options: RedisOptions): Redis {
  const shared: RedisOptions = {
    connectTimeout: 2_000,
    keepAlive: 10_000,
    enableReadyCheck: false,
    // With it a connection that ends while it is set up counts as ready for ever (redis/ioredis#2099).
    disableClientInfo: true,
    retryStrategy: attempt => Math.min(50 * attempt, 1_000),
    ...options,
  }
  const redis = url.startsWith('unix:')
    ? new Redis({ path: url.replace(/^unix:(\/\/)?/, ''), ...shared })
    : new Redis(url, shared)
  redis.on('error', error => log.warn({ reason: error.message }, 'redis connection'))
  return redis
}

/**
 * Has Redis write its append-only file anew, once a UTC day in the whole cluster: what has expired, salts above all, is
 * otherwise still in the file.
 * @throws what Redis answers that does not allow it
 */
export async function rewriteOnceADay(redis: Redis, now: Date): Promise<void> {
  const mark = `rewritten:${now.toISOString().slice(0, 10)}`
  if ((await redis.set(mark, '1', 'EX', 172_800, 'NX')) !== 'OK') return
  try {
    await redis.bgrewriteaof()
  } catch (error) {
    await redis.del(mark)
    throw error
  }
}

/** Resolves once the connection is usable; rejects after `timeoutMs`. */
export function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.off('ready', ready)
      reject(new Error(`Redis does not answer within ${timeoutMs} ms`))
    }, timeoutMs)
    function ready() {
      clearTimeout(timer)
      resolve()
    }
    redis.once('ready', ready)
  })
}
