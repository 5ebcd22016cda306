import type { RedisClient } from '../redis/client.ts'
import { answered } from '../redis/connect-redis.ts'
import type { Lane } from '../redis/lanes.ts'
import { declareScript } from '../redis/script.ts'
import { ADD_JOB, bullJob, keyPrefix, lanesOfQueue, type QueueName } from './bull-format.ts'

/** A sum that a job counts towards, such as the bytes of a site on one day. */
export interface Allowance {
  key: string
  /** Most bytes. */
  most: number
  /** Most milliseconds from the first job on; no limit without it. */
  mostMs?: number
  /** The sum is forgotten this long after its latest job. */
  keptMs: number
  /** Jobs that are added are only compared with it: `count` counts them later. */
  isCountedLater?: boolean
}

/** Why a job was not added: the queue has no room, or the sum with this index has none. */
export type Room = 'added' | 'queue_full' | number

/** Memory of a job in Redis without its texts, about. */
const BARE_BYTES = 600

/**
 * KEYS: the four of a job, the bytes of each waiting job, then a hash for each allowance. ARGV: the four of a job, its bytes
 * for the allowances, the bytes that may wait, the time, then four for each allowance. A job waits with all that Redis keeps of it:
 * many small ones would fill its memory otherwise. `HINCRBY` on field `all` keeps the sum of the waiting bytes.
 */
const ADD_BOUNDED = `${ADD_JOB}
local sizes, bytes, now = KEYS[5], tonumber(ARGV[5]), tonumber(ARGV[7])
local size = #ARGV[3] + #ARGV[4] + ${BARE_BYTES}
if tonumber(redis.call('hget', sizes, 'all') or 0) + size > tonumber(ARGV[6]) then return 'queue_full' end
for i = 6, #KEYS do
  local at = 8 + (i - 6) * 4
  local used, since = unpack(redis.call('hmget', KEYS[i], 'bytes', 'since'))
  local mostMs = tonumber(ARGV[at + 1])
  if tonumber(used or 0) + bytes > tonumber(ARGV[at]) or (mostMs > 0 and since and now - since > mostMs) then
    return 'full:' .. (i - 6)
  end
end
local failure = addJob(1, 1)
if failure ~= '' then return 'failed:' .. failure end
redis.call('hset', sizes, ARGV[1], size)
redis.call('hincrby', sizes, 'all', size)
for i = 6, #KEYS do
  local at = 8 + (i - 6) * 4
  if ARGV[at + 3] == '1' then
    redis.call('hincrby', KEYS[i], 'bytes', bytes)
    redis.call('hsetnx', KEYS[i], 'since', now)
    redis.call('pexpire', KEYS[i], ARGV[at + 2])
  end
end
return ''`

/** KEYS: the hash of an allowance. ARGV: bytes, the most, how long the sum is kept. Returns whether they were counted. */
const COUNT = `
if tonumber(redis.call('hget', KEYS[1], 'bytes') or 0) + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return 0 end
redis.call('hincrby', KEYS[1], 'bytes', ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[3])
return 1`

/** A sum that was forgotten in the meantime has nothing to give back. */
const UNCOUNT = `if redis.call('exists', KEYS[1]) == 1 then redis.call('hincrby', KEYS[1], 'bytes', -ARGV[1]) end`

/** Returns the bytes of a job once, however often it is delivered. An empty hash sets the sum right. */
const RELEASE = `
local bytes = redis.call('hget', KEYS[1], ARGV[1])
if not bytes then return end
redis.call('hdel', KEYS[1], ARGV[1])
if redis.call('hincrby', KEYS[1], 'all', -bytes) <= 0 or redis.call('hlen', KEYS[1]) == 1 then
  redis.call('hdel', KEYS[1], 'all')
end`

const sizesOf = (queue: QueueName, lane: Lane) => `${keyPrefix(queue, lane)}:bytes`

/** Returns the lane of a bounded queue: one counter bounds it, so it has only one. */
const laneOf = (redis: RedisClient, queue: QueueName): Lane => lanesOfQueue(redis, queue)[0]!

/** Returns the bytes of all jobs of a bounded queue that are not done. */
export const waitingBytes = async (redis: RedisClient, queue: QueueName): Promise<number> =>
  Number((await redis.hget(sizesOf(queue, laneOf(redis, queue)), 'all')) ?? 0)

/**
 * Returns a queue whose waiting jobs are bounded in bytes. A job must be able to be delivered twice.
 * @param minReplicas how many replicas must have a job before `add` resolves
 */
export function createBoundedQueue<Payload extends { jobId: string }>(
  redis: RedisClient,
  name: QueueName,
  mostBytes: number,
  minReplicas = 0,
) {
  const addBounded = declareScript<string>(redis, 'queueBounded', ADD_BOUNDED, minReplicas)
  const lane = laneOf(redis, name)
  const sizes = sizesOf(name, lane)
  const keyOf = ({ key }: Allowance) => `${lane.tag}${key}`
  return {
    /**
     * Adds a job if the queue and all allowances have room for it, in one command.
     * @param bytes what the job counts towards the allowances
     * @throws the error of Redis when it is not certain that the job was added
     */
    async add(
      payload: Omit<Payload, 'jobId'>,
      bytes: number,
      allowances: Allowance[],
      now: number,
    ): Promise<Room> {
      const job = bullJob({}, name, lane)
      const [id, timestamp, , options] = job.values as [string, number, string, string]
      const keys = [...job.keys, sizes, ...allowances.map(keyOf)]
      const values = [
        id,
        timestamp,
        JSON.stringify({ ...payload, jobId: id }),
        options,
        bytes,
        mostBytes,
        now,
      ]
      const limits = allowances.flatMap(({ most, mostMs = 0, keptMs, isCountedLater }) => [
        most,
        mostMs,
        keptMs,
        isCountedLater ? 0 : 1,
      ])
      const refusal = await answered(addBounded(keys, [...values, ...limits]))
      if (refusal === '') return 'added'
      if (refusal === 'queue_full') return 'queue_full'
      const [kind, rest] = refusal.split(/:(.*)/s)
      if (kind === 'full') return Number(rest)
      throw new Error(`the queue did not confirm the job: ${rest}`)
    },
    /** Counts bytes towards an allowance, unless that would be too many; returns whether they were counted. */
    async count(allowance: Allowance, bytes: number): Promise<boolean> {
      const { most, keptMs } = allowance
      return (await redis.eval(COUNT, 1, keyOf(allowance), bytes, most, keptMs)) === 1
    },
    /** Takes back what `count` has counted. */
    async uncount(allowance: Allowance, bytes: number): Promise<void> {
      await redis.eval(UNCOUNT, 1, keyOf(allowance), bytes)
    },
    /** Gives back the bytes of a job that is done. */
    async release(jobId: string): Promise<void> {
      await redis.eval(RELEASE, 1, sizes, jobId)
    },
  }
}

export type BoundedQueue<Payload extends { jobId: string }> = ReturnType<typeof createBoundedQueue<Payload>>
