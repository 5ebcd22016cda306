import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from './log.ts'

/**
 * A connection for commands that must answer soon or fail: nothing waits for a server that is away, nothing is
 * sent twice.
 */
export function connectRedis(url: string, log: Log): Redis {
  return open(url, log, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 900,
  })
}

/** A connection that waits for its server however long that takes: subscriptions and queue consumers. */
export function connectPatientRedis(url: string, log: Log): Redis {
  return open(url, log, { maxRetriesPerRequest: null })
}

function open(url: string, log: Log, options: RedisOptions): Redis {
  const shared: RedisOptions = {
    connectTimeout: 2_000,
    enableReadyCheck: false,
    retryStrategy: attempt => Math.min(50 * attempt, 1_000),
    ...options,
  }
  const redis = url.startsWith('unix:')
    ? new Redis({ path: url.replace(/^unix:(\/\/)?/, ''), ...shared })
    : new Redis(url, shared)
  redis.on('error', error => log.warn({ reason: error.message }, 'redis connection'))
  return redis
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
