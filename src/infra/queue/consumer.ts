import { setTimeout as sleep } from 'node:timers/promises'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import type { Log } from '../log.ts'
import { connectPatientRedis } from '../redis.ts'
import { QUEUES, SETTINGS } from './layout.ts'

/** How long a consumer waits for its queues to close, once their jobs are done. */
const CLOSE_MS = 1_000

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
    const processing = queue.process(options.concurrency, async job => {
      if (isGhost(job)) await job.remove()
      else await options.handle(job.data, name)
    })
    processing.catch(error => options.log.warn({ queue: name, reason: error?.message }, 'queue'))
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
