import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import { withDeadline } from './deadline.ts'
import type { Log } from './log.ts'
import { connectPatientRedis } from './redis.ts'

/** Fixed: what waits in Redis was spread by it. */
export const PARTITIONS = 4

const queueName = (partition: number) => `hits-${partition}`

/**
 * A job is tried until it succeeds: neither failures (`attempts`) nor crashed consumers (`maxStalledCount`) may
 * ever drop it, and it never leaves Redis but by completing.
 */
const JOB_OPTIONS = {
  attempts: 2_000_000_000,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: false,
  // Each failure would add its trace, and the job would grow with them.
  stackTraceLimit: 1,
} as const
const SETTINGS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  maxStalledCount: 2_000_000_000,
  drainDelay: 5,
} as const

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
  addAll(jobs: { partition: number; payload: Payload }[]): Promise<(Error | undefined)[]>
}

/**
 * What Bull's own script does for a job that waits for nothing, for many jobs: for each four KEYS (the job, its queue's
 * lists `wait` and `paused`, and the mark of a queue that is paused), and its id, data and options in ARGV after the time.
 * Bull's takes some thirty steps in JavaScript and a script a job, which is more than what a hit costs otherwise. A job has
 * no trace yet; without the empty one Bull throws an error at itself for each job that it takes.
 */
const ADD_JOBS = `
local outcomes = {}
for index = 1, #KEYS / 4 do
  local key, wait, paused, isPaused = unpack(KEYS, 4 * index - 3, 4 * index)
  local id, data, options = unpack(ARGV, 3 * index - 1, 3 * index + 1)
  local outcome = {}
  if redis.call('exists', key) == 0 then
    outcome = redis.pcall('hset', key, 'name', '__default__', 'data', data, 'opts', options,
      'timestamp', ARGV[1], 'delay', 0, 'priority', 0, 'stacktrace', '[]')
    if type(outcome) ~= 'table' or not outcome.err then
      outcome = redis.pcall('lpush', redis.call('exists', isPaused) == 1 and paused or wait, id)
      if type(outcome) == 'table' and outcome.err then redis.call('del', key) end
    end
  end
  outcomes[index] = type(outcome) == 'table' and outcome.err or ''
end
return outcomes`

interface Adding extends Redis {
  addJobs(keys: number, ...rest: (string | number)[]): Promise<string[]>
}

/** Takes a job back that nobody has taken yet: KEYS are its queue's wait list and the job, ARGV[1] its id. */
const WITHDRAW = `if redis.call('lrem', KEYS[1], 1, ARGV[1]) == 1 then redis.call('del', KEYS[2]) end`

/** How long a job may take to be confirmed, the wait for a queue that is not set up yet included. */
const CONFIRM_MS = 950

/** How long a consumer waits for its queues to close, once their jobs are done. */
const CLOSE_MS = 1_000

/** Puts jobs into the queues over one connection. */
export function createProducer<Payload>(redis: Redis): Producer<Payload> {
  redis.defineCommand('addJobs', { lua: ADD_JOBS })
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
    const prefix = `bull:${queueName(partition)}`
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

  async function addAll(jobs: { partition: number; payload: Payload }[]): Promise<(Error | undefined)[]> {
    if (redis.status !== 'ready') return jobs.map(() => new Error('Connection is closed.'))
    const keys: string[] = []
    const timestamp = Date.now()
    const values: (string | number)[] = [timestamp]
    // Ids of our own: a command that the driver sends a second time then adds nothing.
    const ids = jobs.map(() => randomUUID())
    jobs.forEach(({ partition, payload }, index) => {
      const prefix = `bull:${queueName(partition)}`
      keys.push(`${prefix}:${ids[index]}`, `${prefix}:wait`, `${prefix}:paused`, `${prefix}:meta-paused`)
      const options = { ...JOB_OPTIONS, jobId: ids[index], delay: 0, timestamp }
      values.push(ids[index]!, JSON.stringify(payload), JSON.stringify(options))
    })
    try {
      const outcomes = await inTime((redis as Adding).addJobs(keys.length, ...keys, ...values))
      return outcomes.map(refusal =>
        refusal === '' ? undefined : new Error(`the queue did not confirm the job: ${refusal}`),
      )
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
  }
}

const inTime = <Result>(confirmed: PromiseLike<Result>): Promise<Result> =>
  withDeadline(CONFIRM_MS, confirmed, () => new Error('Command timed out'))

export interface Consumer {
  /**
   * Takes no more jobs, waits up to `timeoutMs` for those at work, closes the connections. A job that is not done by then
   * is the first in line again when its lock has expired.
   */
  close(timeoutMs?: number): Promise<void>
}

/**
 * Runs `handle` for every job of every partition, up to `concurrency` jobs of a partition at once.
 * A job whose handler rejects is tried again a second later, for ever.
 */
export function createConsumer<Payload>(options: {
  redisUrl: string
  concurrency: number
  log: Log
  handle: (partition: number, payload: Payload) => Promise<void>
}): Consumer {
  const shared = {
    client: connectPatientRedis(options.redisUrl, options.log),
    subscriber: connectPatientRedis(options.redisUrl, options.log),
  }
  const blocking: Redis[] = []
  const queues = Array.from({ length: PARTITIONS }, (_, partition) => {
    const queue = new Bull<Payload>(queueName(partition), {
      settings: SETTINGS,
      createClient(type) {
        if (type !== 'bclient') return shared[type]
        const redis = connectPatientRedis(options.redisUrl, options.log)
        blocking.push(redis)
        return redis
      },
    })
    queue.on('error', error => options.log.warn({ partition, reason: error?.message }, 'queue'))
    queue.on('failed', (_job, error) =>
      options.log.warn({ partition, reason: error.message }, 'job will be tried again'),
    )
    const processing = queue.process(options.concurrency, async job => {
      if (isGhost(job)) await job.remove()
      else await options.handle(partition, job.data)
    })
    processing.catch(error => options.log.warn({ partition, reason: error?.message }, 'queue'))
    return queue
  })
  return {
    async close(timeoutMs = 5_000) {
      // Bull reconnects for each of these: without Redis they fail, or never end.
      const finish = async (queue: Bull.Queue) => {
        await queue.pause(true, true)
        await queue.whenCurrentJobsFinished()
      }
      await Promise.race([Promise.allSettled(queues.map(finish)), sleep(timeoutMs)])
      await Promise.race([Promise.allSettled(queues.map(queue => queue.close(true))), sleep(CLOSE_MS)])
      for (const redis of [shared.client, shared.subscriber, ...blocking]) redis.disconnect()
    },
  }
}

/**
 * What Bull hands over when a consumer was held up for so long that another has finished the job meanwhile: an entry
 * without content, which nobody added.
 */
const isGhost = (job: Bull.Job): boolean => !job.timestamp && Object.keys(job.data ?? {}).length === 0

export interface QueueDepth {
  /** Jobs not yet taken, in all partitions. */
  waiting: number
  /** Jobs that failed and come again. */
  delayed: number
  /** Jobs at work. */
  active: number
  /** Unix milliseconds at which the oldest job that waits was added. */
  oldestAt: number | undefined
}

export async function queueDepth(redis: Redis): Promise<QueueDepth> {
  const depth: QueueDepth = { waiting: 0, delayed: 0, active: 0, oldestAt: undefined }
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const prefix = `bull:${queueName(partition)}`
    const [waiting, delayed, active, oldest] = await Promise.all([
      redis.llen(`${prefix}:wait`),
      redis.zcard(`${prefix}:delayed`),
      redis.llen(`${prefix}:active`),
      redis.lindex(`${prefix}:wait`, -1),
    ])
    const addedAt = oldest === null ? null : await redis.hget(`${prefix}:${oldest}`, 'timestamp')
    if (addedAt !== null)
      depth.oldestAt = Math.min(depth.oldestAt ?? Number.POSITIVE_INFINITY, Number(addedAt))
    depth.waiting += waiting
    depth.delayed += delayed
    depth.active += active
  }
  return depth
}
