import { randomUUID } from 'node:crypto'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import { withDeadline } from '../deadline.ts'
import { COUNT_REQUESTS, type Tally } from '../rate-limit.ts'
import { ADD_JOBS, JOB_OPTIONS, keysOf, layOut, type NewJob, queueName, SETTINGS } from './layout.ts'

export interface Producer<Payload> {
  /**
   * Resolves when Redis has the job in its log; rejects when it is not known to have it.
   * @param delayMs before which no consumer gets it
   */
  add(partition: number, payload: Payload, delayMs?: number): Promise<void>
  /**
   * The same for many jobs in one command. Never rejects.
   * @returns for each, in order, why Redis is not known to have it; undefined when it has
   */
  addAll(jobs: NewJob<Payload>[]): Promise<Failures>
  /**
   * Counts requests, and adds the jobs if nobody is over a limit, in one command: what waits for two waits for the disk
   * twice. Resolves when Redis has all that in its log.
   * @returns the counts of the buckets, and what `addAll` returns; `failures` is undefined when somebody was over a limit,
   * and no job was added
   * @throws what Redis throws when it cannot answer; jobs are not known to be there then
   */
  addWithin(
    tally: Tally,
    jobs: NewJob<Payload>[],
  ): Promise<{ counts: number[]; failures: Failures | undefined }>
}

/** Of jobs, in their order. */
export type Failures = (Error | undefined)[]

const ADD_ALL = `${ADD_JOBS}
return addJobs(1, 1)`

/** ARGV[1] says where the jobs begin in ARGV. */
const ADD_WITHIN = `${COUNT_REQUESTS}
${ADD_JOBS}
local counts, isOver = countRequests(2, ARGV[1] - 1)
if isOver then return { counts } end
return { counts, addJobs(3, tonumber(ARGV[1])) }`

interface Adding extends Redis {
  addJobs(keys: number, ...rest: (string | number)[]): Promise<string[]>
  addJobsWithin(keys: number, ...rest: (string | number)[]): Promise<[counts: number[], outcomes?: string[]]>
}

/** Takes a job back that nobody has taken yet: KEYS are its queue's wait list and the job, ARGV[1] its id. */
const WITHDRAW = `if redis.call('lrem', KEYS[1], 1, ARGV[1]) == 1 then redis.call('del', KEYS[2]) end`

/** How long a job may take to be confirmed, the wait for a queue that is not set up yet included. */
const CONFIRM_MS = 950

/** Puts jobs into the queues over one connection. */
export function createProducer<Payload>(connection: Redis): Producer<Payload> {
  connection.defineCommand('addJobs', { lua: ADD_ALL })
  connection.defineCommand('addJobsWithin', { lua: ADD_WITHIN })
  const redis = connection as Adding
  const queues = new Map<number, Bull.Queue<Payload>>()

  /** Bull itself: for what is rare. */
  function queueOf(partition: number): Bull.Queue<Payload> {
    let queue = queues.get(partition)
    if (!queue) {
      queue = new Bull<Payload>(queueName(partition), { createClient: () => redis, settings: SETTINGS })
      queue.on('error', () => {}) // the connection reports its own errors
      queues.set(partition, queue)
    }
    return queue
  }

  /** Redis may have the command and carry it out later, though the sender is told to come again: this follows it. */
  function withdraw(partition: number, jobId: string): void {
    const prefix = keysOf(partition)
    redis.eval(WITHDRAW, 2, `${prefix}:wait`, `${prefix}:${jobId}`, jobId).catch(() => {})
  }

  async function addDelayed(partition: number, payload: Payload, delay: number): Promise<void> {
    if (redis.status !== 'ready') throw new Error('Connection is closed.')
    const jobId = randomUUID()
    try {
      const job = await inTime(queueOf(partition).add(payload, { ...JOB_OPTIONS, jobId, delay }))
      if (!job.id) throw new Error('the queue did not confirm the job')
    } catch (error) {
      withdraw(partition, jobId)
      throw error
    }
  }

  async function addAll(jobs: NewJob<Payload>[]): Promise<Failures> {
    if (redis.status !== 'ready') return jobs.map(() => new Error('Connection is closed.'))
    const { ids, keys, values } = layOut(jobs)
    try {
      return failuresOf(await inTime(redis.addJobs(keys.length, ...keys, ...values)))
    } catch (error) {
      for (const [index, { partition }] of jobs.entries()) withdraw(partition, ids[index]!)
      return jobs.map(() => error as Error)
    }
  }

  return {
    addAll,
    async add(partition, payload, delayMs = 0) {
      if (delayMs > 0) return addDelayed(partition, payload, delayMs)
      const [failure] = await addAll([{ partition, payload }])
      if (failure) throw failure
    },
    async addWithin(tally, jobs) {
      const { ids, keys, values } = layOut(jobs)
      const allKeys = [...tally.keys, ...keys]
      const begin = tally.values.length + 2
      try {
        const added = redis.addJobsWithin(allKeys.length, ...allKeys, begin, ...tally.values, ...values)
        const [counts, outcomes] = await inTime(added)
        return { counts, failures: outcomes && failuresOf(outcomes) }
      } catch (error) {
        for (const [index, { partition }] of jobs.entries()) withdraw(partition, ids[index]!)
        throw error
      }
    },
  }
}

const failuresOf = (outcomes: string[]): Failures =>
  outcomes.map(refusal =>
    refusal === '' ? undefined : new Error(`the queue did not confirm the job: ${refusal}`),
  )

const inTime = <Result>(confirmed: PromiseLike<Result>): Promise<Result> =>
  withDeadline(CONFIRM_MS, confirmed, () => new Error('Command timed out'))
