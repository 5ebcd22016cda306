import { randomUUID } from 'node:crypto'
import type { RedisClient } from '../redis/client.ts'
import { type Lane, lanesOf } from '../redis/lanes.ts'

// Format of the queue in Redis, shared by producers and consumers. ADD_JOB writes jobs in the format of Bull's own scripts.
// The risk: a version of Bull with another format would not find these jobs, and hits would wait unseen. The guard: a test of
// test/platform/queue/queue.test.ts adds a job both ways and compares their fields.

/** Queues by what their jobs hold, so that hits never wait behind replays. Jobs are taken first in, first out. */
export type QueueName = 'hits' | 'replays'

/** Returns the lanes of a queue. Chunks of replays are bounded in bytes by one counter, so they have a single lane. */
export const lanesOfQueue = (redis: RedisClient, queue: QueueName): readonly Lane[] =>
  queue === 'hits' ? lanesOf(redis) : lanesOf(redis).slice(0, 1)

/** Prefix of Bull's keys in a lane: its tag comes first, so that a cluster keeps all keys of the queue on one node. */
export const bullPrefix = ({ tag }: Lane) => `${tag}bull`

export const keyPrefix = (queue: QueueName, lane: Lane) => `${bullPrefix(lane)}:${queue}`

/**
 * A job is retried until it succeeds: neither failures (`attempts`) nor crashed consumers (`maxStalledCount`) may
 * drop it, and it leaves Redis only when it completes.
 */
export const JOB_OPTIONS = {
  attempts: 2_000_000_000,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: false,
  // Without this limit the job would grow by one stack trace with each failure.
  stackTraceLimit: 1,
} as const

export const SETTINGS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  maxStalledCount: 2_000_000_000,
  drainDelay: 5,
} as const

/**
 * Lua function that does the same as Bull's own script for a job without delay. KEYS from `firstKey`: the job, the lists
 * `wait` and `paused` of the queue, and the key that marks a paused queue. ARGV from `first`: id, time, data and options.
 * Bull's way takes about thirty steps in JavaScript and cannot count requests in the same command. `stacktrace` is an empty
 * list: without it Bull throws an internal error for each job that it takes.
 * @returns an empty text, or the reason why the queue could not take the job
 */
export const ADD_JOB = `
local function addJob(firstKey, first)
  local key, wait, paused, isPaused = unpack(KEYS, firstKey, firstKey + 3)
  local id, at, data, options = unpack(ARGV, first, first + 3)
  if redis.call('exists', key) == 1 then return '' end
  local outcome = redis.pcall('hset', key, 'name', '__default__', 'data', data, 'opts', options,
    'timestamp', at, 'delay', 0, 'priority', 0, 'stacktrace', '[]')
  if type(outcome) ~= 'table' or not outcome.err then
    outcome = redis.pcall('lpush', redis.call('exists', isPaused) == 1 and paused or wait, id)
    if type(outcome) == 'table' and outcome.err then redis.call('del', key) end
  end
  return type(outcome) == 'table' and outcome.err or ''
end`

export interface BullJob {
  id: string
  keys: string[]
  values: (string | number)[]
}

/** Returns a new job with this payload. */
export function bullJob(payload: unknown, queue: QueueName, lane: Lane): BullJob {
  // The id is chosen here: a command that Redis executes a second time then adds nothing.
  const id = randomUUID()
  const timestamp = Date.now()
  const options = { ...JOB_OPTIONS, jobId: id, delay: 0, timestamp }
  const prefix = keyPrefix(queue, lane)
  return {
    id,
    keys: [`${prefix}:${id}`, `${prefix}:wait`, `${prefix}:paused`, `${prefix}:meta-paused`],
    values: [id, timestamp, JSON.stringify(payload), JSON.stringify(options)],
  }
}

export interface QueueDepth {
  /** Jobs that no consumer has taken yet. */
  waiting: number
  /** Failed jobs that wait for their retry, and jobs that were added with a delay. */
  delayed: number
  /** Jobs that a consumer is handling. */
  active: number
  /** Unix milliseconds at which the oldest waiting job was added. */
  oldestAt: number | undefined
  /** The same of the oldest job that is not done: a consumer may be handling it, or it waits for its retry. */
  oldestOpenAt: number | undefined
}

/** Counts the jobs of a queue that no consumer has taken yet, in all its lanes. */
export async function countWaiting(redis: RedisClient, queue: QueueName = 'hits'): Promise<number> {
  const counts = await Promise.all(
    lanesOfQueue(redis, queue).map(lane => redis.llen(`${keyPrefix(queue, lane)}:wait`)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Counts the jobs of a queue by their state, in all its lanes. */
export async function queueDepth(redis: RedisClient, queue: QueueName = 'hits'): Promise<QueueDepth> {
  const depths = await Promise.all(lanesOfQueue(redis, queue).map(lane => depthOf(redis, queue, lane)))
  const sum = (state: 'waiting' | 'delayed' | 'active') =>
    depths.reduce((total, depth) => total + depth[state], 0)
  return {
    waiting: sum('waiting'),
    delayed: sum('delayed'),
    active: sum('active'),
    oldestAt: earliest(depths.map(depth => depth.oldestAt)),
    oldestOpenAt: earliest(depths.map(depth => depth.oldestOpenAt)),
  }
}

function earliest(times: (number | undefined)[]): number | undefined {
  const known = times.filter(time => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

async function depthOf(redis: RedisClient, queue: QueueName, lane: Lane): Promise<QueueDepth> {
  const prefix = keyPrefix(queue, lane)
  const [waiting, delayed, active, ...oldest] = await Promise.all([
    redis.llen(`${prefix}:wait`),
    redis.zcard(`${prefix}:delayed`),
    redis.llen(`${prefix}:active`),
    redis.lindex(`${prefix}:wait`, -1),
    redis.lindex(`${prefix}:active`, -1),
    redis.zrange(`${prefix}:delayed`, 0, 0).then(([first]) => first ?? null),
  ])
  const addedAt = async (id: string | null) => {
    const timestamp = id === null ? null : await redis.hget(`${prefix}:${id}`, 'timestamp')
    return timestamp === null ? undefined : Number(timestamp)
  }
  const [oldestAt, ...others] = await Promise.all(oldest.map(addedAt))
  return { waiting, delayed, active, oldestAt, oldestOpenAt: earliest([oldestAt, ...others]) }
}
