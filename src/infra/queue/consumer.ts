import { setTimeout as sleep } from 'node:timers/promises'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import type { Log } from '../log.ts'
import { connectPatientRedis } from '../redis.ts'
import { EARLIER_QUEUES, keysOf, QUEUE, QUEUES, SETTINGS } from './layout.ts'

/** How long a consumer waits for its queues to close, once their jobs are done. */
const CLOSE_MS = 1_000

/** How long what earlier releases left may take before the queue of today is taken from all the same. */
const EARLIER_WITHIN_MS = 60_000
const POLL_MS = 50

export interface Consumer {
  /**
   * Takes no more jobs, waits up to `timeoutMs` for those at work, closes the connections. A job that is not done by then
   * is the first in line again when its lock has expired.
   */
  close(timeoutMs?: number): Promise<void>
}

/**
 * Runs `handle` for every job of every queue, up to `concurrency` jobs of a queue at once.
 * A job whose handler rejects is tried again a second later, for ever.
 */
export function createConsumer<Payload>(options: {
  redisUrl: string
  concurrency: number
  log: Log
  handle: (payload: Payload, queue: string) => Promise<void>
}): Consumer {
  const shared = {
    client: connectPatientRedis(options.redisUrl, options.log),
    subscriber: connectPatientRedis(options.redisUrl, options.log),
  }
  // Every queue listens to the shared ones.
  for (const redis of Object.values(shared)) redis.setMaxListeners(10 * QUEUES.length)
  const blocking: Redis[] = []
  const queues = QUEUES.map(name => {
    const queue = new Bull<Payload>(name, {
      settings: SETTINGS,
      createClient(type) {
        if (type !== 'bclient') return shared[type]
        const redis = connectPatientRedis(options.redisUrl, options.log)
        blocking.push(redis)
        return redis
      },
    })
    queue.on('error', error => options.log.warn({ queue: name, reason: error?.message }, 'queue'))
    queue.on('failed', (_job, error) =>
      options.log.warn({ queue: name, reason: error.message }, 'job will be tried again'),
    )
    return queue
  })
  let isClosed = false

  async function run(queue: Bull.Queue<Payload>): Promise<void> {
    try {
      if (queue.name === QUEUE) await whenEarlierJobsAreGone(shared.client)
      if (isClosed) return
      await queue.process(options.concurrency, async job => {
        if (isGhost(job)) await job.remove()
        else await options.handle(job.data, queue.name)
      })
    } catch (error) {
      options.log.warn({ queue: queue.name, reason: (error as Error | undefined)?.message }, 'queue')
    }
  }
  for (const queue of queues) void run(queue)

  return {
    async close(timeoutMs = 5_000) {
      isClosed = true
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

/** What waits in the queues of earlier releases came before what is in the queue of today, of the same visitors maybe. */
async function whenEarlierJobsAreGone(redis: Redis): Promise<void> {
  const giveUpAt = performance.now() + EARLIER_WITHIN_MS
  const newest = await Promise.all(EARLIER_QUEUES.map(name => redis.lindex(`${keysOf(name)}:wait`, 0)))
  const jobs = EARLIER_QUEUES.flatMap((name, index) => {
    const id = newest[index]
    return id ? [`${keysOf(name)}:${id}`] : []
  })
  while (jobs.length > 0 && performance.now() < giveUpAt && (await redis.exists(...jobs)) > 0) {
    await sleep(POLL_MS)
  }
}

/**
 * What Bull hands over when a consumer was held up for so long that another has finished the job meanwhile: an entry
 * without content, which nobody added.
 */
const isGhost = (job: Bull.Job): boolean => !job.timestamp && Object.keys(job.data ?? {}).length === 0
