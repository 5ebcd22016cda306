import { Redis, type RedisOptions } from 'ioredis'
import { withDeadline } from '../lib/deadline.ts'
import type { Log } from '../runtime/log.ts'

const ANSWER_MS = 900

/**
 * Opens a connection for commands that must answer soon or fail: no command waits for an unreachable server, and no
 * command is sent twice. Commands of requests go through `answered`.
 */
export function connectRedis(url: string, log: Log): Redis {
  return open(url, log, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Also fires when the answer has arrived and only this process was blocked, so requests use `answered` instead.
    commandTimeout: 2_000,
    // A broken network path reports no error: without this timeout the dead connection would be kept.
    socketTimeout: 2_000,
  })
}

/** Opens a connection that waits for its server without limit, for subscriptions and queue consumers. */
export function connectPatientRedis(url: string, log: Log): Redis {
  // Must be longer than one blocking call of a consumer (`drainDelay`).
  return open(url, log, { maxRetriesPerRequest: null, socketTimeout: 15_000 })
}

/**
 * Returns the answer to a command of a request.
 * @throws the error of Redis, or an error when the answer takes too long
 */
export function answered<Result>(command: PromiseLike<Result>): Promise<Result> {
  return withDeadline(ANSWER_MS, command, () => new Error('Command timed out'))
}

function open(url: string, log: Log, options: RedisOptions): Redis {
  const shared: RedisOptions = {
    connectTimeout: 2_000,
    keepAlive: 10_000,
    enableReadyCheck: false,
    // With client info, a connection that ends during its setup counts as ready for ever (redis/ioredis#2099).
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
 * Makes Redis rewrite its append-only file, once per UTC day in the whole cluster. Without it, expired data, above all
 * salts, stays in the file.
 * @throws the error of a Redis that does not allow it
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

/** Resolves when the connection is usable; rejects after `timeoutMs`. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return
  const ready = new Promise<void>(resolve => redis.once('ready', () => resolve()))
  await withDeadline(timeoutMs, ready, () => new Error(`Redis does not answer within ${timeoutMs} ms`))
}
