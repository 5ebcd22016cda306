import { setTimeout as sleep } from 'node:timers/promises'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import { connectPatientRedis } from '../redis/connect.ts'
import type { Log } from '../runtime/log.ts'
import { QUEUE, SETTINGS } from './bull-format.ts'

/** Longest wait for the queue to close after its jobs are done. */
const CLOSE_MS = 1_000

export interface Consumer {
  /**
   * Takes no more jobs, waits up to `timeoutMs` for running ones, and closes the connections. A job that is not done by then
   * returns to the head of the queue when its lock has expired.
   */
  close(timeoutMs?: number): Promise<void>
}

/**
 * Runs `handle` for every job of the queue, up to `concurrency` at once.
 * A job whose handler rejects is retried one second later, without limit.
 */
export function createConsumer<Payload>(options: {
  redisUrl: string
  concurrency: number
  log: Log
  handle: (payload: Payload) => Promise<void>
}): Consumer {
  const connections: Redis[] = []
  const queue = new Bull<Payload>(QUEUE, {
    settings: SETTINGS,
    createClient() {
      const redis = connectPatientRedis(options.redisUrl, options.log)
      connections.push(redis)
      return redis
    },
  })
  queue.on('error', error => options.log.warn({ reason: error?.message }, 'queue'))
  queue.on('failed', (_job, error) => options.log.warn({ reason: error.message }, 'job will be tried again'))

  async function run(): Promise<void> {
    try {
      await queue.process(options.concurrency, async job => {
        if (isGhost(job)) await job.remove()
        else await options.handle(job.data)
      })
    } catch (error) {
      options.log.warn({ reason: (error as Error | undefined)?.message }, 'queue')
    }
  }
  void run()

  return {
    async close(timeoutMs = 5_000) {
      // Bull reconnects for both calls: without Redis they fail or never settle, hence the timeouts.
      const finished = queue.pause(true, true).then(() => queue.whenCurrentJobsFinished())
      await Promise.race([finished.catch(() => {}), sleep(timeoutMs)])
      await Promise.race([queue.close(true).catch(() => {}), sleep(CLOSE_MS)])
      for (const redis of connections) redis.disconnect()
    },
  }
}

/**
 * True for an entry without content, which no producer added. Bull hands it over when this consumer was blocked for so long
 * that another one has finished the job.
 */
const isGhost = (job: Bull.Job): boolean => !job.timestamp && Object.keys(job.data ?? {}).length === 0
