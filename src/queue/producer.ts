import { randomUUID } from 'node:crypto'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import { MINUTE_MS } from '../lib/time.ts'
import { COUNT_REQUESTS, type CountArguments } from '../limits/rate-limit.ts'
import { answered } from '../redis/connect.ts'
import { ADD_JOB, bullJob, JOB_OPTIONS, keyPrefix, type QueueName, SETTINGS } from './bull-format.ts'

const ADD = `${ADD_JOB}
return addJob(1, 1)`

/** ARGV[1] is the index in ARGV at which the job begins. */
const ADD_WITHIN = `${COUNT_REQUESTS}
${ADD_JOB}
local counts, isOver = countRequests(2, ARGV[1] - 1)
if isOver then return { counts } end
return { counts, addJob(3, tonumber(ARGV[1])) }`

/** The names must differ from those of Bull's own commands, which Bull defines on the same connection. */
interface Adding extends Redis {
  queueJob(keys: number, ...rest: (string | number)[]): Promise<string>
  queueJobWithin(keys: number, ...rest: (string | number)[]): Promise<[counts: number[], refusal?: string]>
}

/** Longest time after which a command that timed out may still reach Redis. */
const LATE_MS = MINUTE_MS

/**
 * Removes a job that no consumer has taken yet. KEYS: the wait list of the queue and the job; ARGV[1]: the id of the job.
 * If the job does not exist, a marker takes its key, so that a late command adds nothing.
 */
const WITHDRAW = `
if redis.call('lrem', KEYS[1], 1, ARGV[1]) == 1 then redis.call('del', KEYS[2])
elseif redis.call('exists', KEYS[2]) == 0 then redis.call('set', KEYS[2], '', 'PX', ${LATE_MS}) end`

/** Returns a producer that adds jobs to a queue over one connection. */
export function createProducer<Payload>(connection: Redis, name: QueueName = 'hits') {
  connection.defineCommand('queueJob', { lua: ADD })
  connection.defineCommand('queueJobWithin', { lua: ADD_WITHIN })
  const redis = connection as Adding
  let bull: Bull.Queue<Payload> | undefined
  /** Jobs that were reported to their senders as failed, and whose removal is not confirmed yet. */
  const refused = new Set<string>()

  /** Returns Bull's own queue, which only the rare delayed jobs need. */
  function queue(): Bull.Queue<Payload> {
    if (!bull) {
      bull = new Bull<Payload>(name, { createClient: () => redis, settings: SETTINGS })
      bull.on('error', () => {}) // the connection reports its own errors
    }
    return bull
  }

  /** Removes a job whose command failed: Redis may still execute that command, although the sender was told to retry. */
  function withdraw(jobId: string): void {
    redis.eval(WITHDRAW, 2, `${keyPrefix(name)}:wait`, `${keyPrefix(name)}:${jobId}`, jobId).then(
      () => refused.delete(jobId),
      () => {}, // retried with the next connection
    )
  }
  connection.on('ready', () => {
    for (const jobId of refused) withdraw(jobId)
  })

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
    /**
     * Resolves when Redis has written the job to its log; rejects when this is not certain.
     * @param delay milliseconds before a consumer can take the job
     */
    async add(payload: Payload, delay = 0): Promise<void> {
      if (delay > 0) {
        const jobId = randomUUID()
        const job = await confirmed(jobId, () => queue().add(payload, { ...JOB_OPTIONS, jobId, delay }))
        if (!job.id) throw new Error('the queue did not confirm the job')
        return
      }
      const { id, keys, values } = bullJob(payload, name)
      const failure = failureOf(await confirmed(id, () => redis.queueJob(keys.length, ...keys, ...values)))
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
      const { id, keys, values } = bullJob(payload, name)
      const allKeys = [...requests.keys, ...keys]
      const begin = requests.values.length + 2
      const [counts, refusal] = await confirmed(id, () =>
        redis.queueJobWithin(allKeys.length, ...allKeys, begin, ...requests.values, ...values),
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
