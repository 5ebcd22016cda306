import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import { redisAddress } from '../config/redis-address.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Log } from '../runtime/log.ts'
import { createOutages } from '../runtime/outages.ts'
import { type RedisClient, serversOf } from './client.ts'

const ANSWER_MS = 900

/**
 * Opens a connection for commands that must answer soon or fail: no command waits for an unreachable server, and one server
 * gets no command twice. Of a cluster, a command goes to the next master when its own is lost. Commands of requests go through `answered`.
 */
export function connectRedis(url: string, log: Log): RedisClient {
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
export function connectPatientRedis(url: string, log: Log): RedisClient {
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

const reconnectAfter = (attempt: number): number => Math.min(50 * attempt, 1_000)

const SHARED: RedisOptions = {
  connectTimeout: 2_000,
  keepAlive: 10_000,
  enableReadyCheck: false,
  // With client info, a connection that ends during its setup counts as ready for ever (redis/ioredis#2099).
  disableClientInfo: true,
  retryStrategy: reconnectAfter,
}

function open(url: string, log: Log, options: RedisOptions): RedisClient {
  const redis = create(url, { ...SHARED, ...options })
  const outages = createOutages(log, 'redis connection failed')
  const warn = (error: Error) => outages.failed(error.message)
  redis.on('error', warn)
  redis.on('node error', warn)
  redis.on('ready', () => outages.over())
  return redis
}

function create(url: string, options: RedisOptions): RedisClient {
  const address = redisAddress(url)
  if (address.kind === 'server') return new Redis(address.url, options)
  if (address.kind === 'socket') return new Redis({ path: address.path, ...options })
  const { username, password } = address
  const login = { username, password, ...(address.tls && { tls: {} }) }
  if (address.kind === 'cluster') {
    return new Cluster(address.nodes, clusterOptions({ ...options, ...login }))
  }
  return new Redis({
    ...options,
    ...login,
    sentinels: address.sentinels,
    name: address.master,
    db: address.db,
    enableTLSForSentinelMode: address.tls,
    sentinelRetryStrategy: reconnectAfter,
    // A Sentinel says at once that there is a new master; the old one may still hold its connections.
    failoverDetector: true,
    // The server of this connection has become a replica: connect to the master, without sending the command again.
    reconnectOnError: error => error.message.startsWith('READONLY'),
  })
}

/** A node that is lost or new is noticed with the next command that needs it, else within five seconds. */
const clusterOptions = ({ enableOfflineQueue = true, ...node }: RedisOptions): ClusterOptions => ({
  enableOfflineQueue,
  slotsRefreshTimeout: 2_000,
  slotsRefreshInterval: 5_000,
  clusterRetryStrategy: reconnectAfter,
  redisOptions: node,
})

/**
 * Makes each server rewrite its append-only file, once per UTC day in the whole service. Without it, expired data, above all
 * salts, stays in the file.
 * @throws the error of a Redis that does not allow it
 */
export async function rewriteOnceADay(redis: RedisClient, now: Date): Promise<void> {
  const mark = `rewritten:${now.toISOString().slice(0, 10)}`
  if ((await redis.set(mark, '1', 'EX', 172_800, 'NX')) !== 'OK') return
  try {
    await Promise.all(serversOf(redis).map(server => server.bgrewriteaof()))
  } catch (error) {
    await redis.del(mark)
    throw error
  }
}

/** Resolves when the connection is usable; rejects after `timeoutMs`. */
export async function whenReady(redis: RedisClient, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return
  const ready = new Promise<void>(resolve => redis.once('ready', () => resolve()))
  await withDeadline(timeoutMs, ready, () => new Error(`Redis does not answer within ${timeoutMs} ms`))
}
