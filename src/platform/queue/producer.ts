import { randomUUID } from 'node:crypto'
import type { Queue } from 'bull'
import { MINUTE_MS } from '../lib/time.ts'
import { COUNT_REQUESTS, type CountArguments } from '../limits/rate-limit.ts'
import type { RedisClient } from '../redis/client.ts'
import { answered } from '../redis/connect-redis.ts'
import { type Lane, lanesOf } from '../redis/lanes.ts'
import { declareScript } from '../redis/script.ts'
import {
  ADD_JOB,
  bullJob,
  bullPrefix,
  JOB_OPTIONS,
  keyPrefix,
  type QueueName,
  SETTINGS,
} from './bull-format.ts'

const ADD = `${ADD_JOB}
return addJob(1, 1)`

const ADD_WITHIN = `${COUNT_REQUESTS}
${ADD_JOB}
local counts, isOver = countRequests(ARGV[1], ARGV[2])
if isOver then return { counts } end
return { counts, addJob(3, 3) }`

/** Longest time after which a command that timed out may still reach Redis. */
const LATE_MS = MINUTE_MS
/** Time between two attempts at removing jobs that were refused. */
const AGAIN_MS = 500

/**
 * Removes a job that no consumer has taken yet. KEYS: the wait list of the queue and the job; ARGV[1]: the id of the job.
 * If the job does not exist, a marker takes its key, so that a late command adds nothing.
 */
const WITHDRAW = `
if redis.call('lrem', KEYS[1], 1, ARGV[1]) == 1 then redis.call('del', KEYS[2])
elseif redis.call('exists', KEYS[2]) == 0 then redis.call('set', KEYS[2], '', 'PX', ${LATE_MS}) end`

export interface ProducerOptions {
  /** The only or first one without it. */
  lane?: Lane
  /** How many replicas must have a job before it counts as added. */
  minReplicas?: number
}

/** Returns a producer that adds jobs to one lane of a queue over one connection. */
export function createProducer<Payload>(
  redis: RedisClient,
  name: QueueName = 'hits',
  { lane = lanesOf(redis)[0]!, minReplicas = 0 }: ProducerOptions = {},
) {
  const queueJob = declareScript<string>(redis, 'queueJob', ADD, minReplicas)
  const queueJobWithin = declareScript<[counts: number[], refusal?: string]>(
    redis,
    'queueJobWithin',
    ADD_WITHIN,
    minReplicas,
  )
  const prefix = keyPrefix(name, lane)
  let bull: Promise<Queue<Payload>> | undefined
  /** Jobs that were reported to their senders as failed, and whose removal is not confirmed yet. */
  const refused = new Set<string>()
  let isPlanned = false

  /** Returns Bull's own queue, which only the rare delayed jobs need: an HTTP worker starts without it. */
  function queue(): Promise<Queue<Payload>> {
    bull ??= import('bull').then(({ default: Bull }) => {
      const made = new Bull<Payload>(name, {
        createClient: () => redis,
        prefix: bullPrefix(lane),
        settings: SETTINGS,
      })
      made.on('error', () => {}) // the connection reports its own errors
      return made
    })
    return bull
  }

  /** Removes a job whose command failed: Redis may still execute that command, although the sender was told to retry. */
  function withdraw(jobId: string): void {
    redis.eval(WITHDRAW, 2, `${prefix}:wait`, `${prefix}:${jobId}`, jobId).then(
      () => refused.delete(jobId),
      () => again(),
    )
  }

  /** A server that has been away, or a new master, gets the removals as soon as it answers. */
  function again(): void {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      if (redis.status === 'end') return
      for (const jobId of refused) withdraw(jobId)
    }, AGAIN_MS).unref()
  }

  async function confirmed<Result>(jobId: string, send: () => PromiseLike<Result>): Promise<Result> {
    if (redis.status !== 'ready') throw new Error('Connection is closed.')
    try {
      return await answered(send())
    } catch (error) {
      refused.add(jobId)
      withdraw(jobId)
      throw error
    }
  }

  return {
    lane,
    /**
     * Resolves when Redis has written the job to its log; rejects when this is not certain.
     * @param delay milliseconds before a consumer can take the job
     */
    async add(payload: Payload, delay = 0): Promise<void> {
      if (delay > 0) {
        const jobId = randomUUID()
        const delayed = await queue()
        const job = await confirmed(jobId, () => delayed.add(payload, { ...JOB_OPTIONS, jobId, delay }))
        if (!job.id) throw new Error('the queue did not confirm the job')
        return
      }
      const { id, keys, values } = bullJob(payload, name, lane)
      const failure = failureOf(await confirmed(id, () => queueJob(keys, values)))
      if (failure) throw failure
    },
    /**
     * Counts requests, and adds a job if no counter is over its limit, in one command: two commands would wait for the disk
     * twice. Resolves when Redis has written both to its log.
     * @returns the values of the counters; `isAdded` is false when one was over its limit, and `failure` says why the queue
     * could not take the job
     * @throws the error of Redis when it cannot answer; it is not certain then that the job was added
     */
    async addWithin(requests: CountArguments, payload: Payload) {
      const { id, keys, values } = bullJob(payload, name, lane)
      const allKeys = [...requests.keys, ...keys]
      const [counts, refusal] = await confirmed(id, () =>
        queueJobWithin(allKeys, [...requests.values, ...values]),
      )
      return refusal === undefined
        ? { counts, isAdded: false }
        : { counts, isAdded: true, failure: failureOf(refusal) }
    },
  }
}

export type Producer<Payload> = ReturnType<typeof createProducer<Payload>>

const failureOf = (refusal: string): Error | undefined =>
  refusal === '' ? undefined : new Error(`the queue did not confirm the job: ${refusal}`)
