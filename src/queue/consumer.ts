import { setTimeout as sleep } from 'node:timers/promises'
import Bull from 'bull'
import type { Redis } from 'ioredis'
import { connectPatientRedis } from '../redis/connect.ts'
import type { Log } from '../runtime/log.ts'
import { type QueueName, queueDepth, SETTINGS } from './bull-format.ts'

const CLOSE_MS = 1_000

/**
 * Runs `handle` for every job of the queue, up to `concurrency` at once.
 * A job whose handler rejects is retried one second later, without limit.
 */
export function createConsumer<Payload>(options: {
  queue?: QueueName
  redisUrl: string
  concurrency: number
  log: Log
  handle: (payload: Payload) => Promise<void>
}) {
  const connections: Redis[] = []
  const queue = new Bull<Payload>(options.queue ?? 'hits', {
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
    /**
     * Takes no more jobs, waits up to `timeoutMs` for running ones, and closes the connections. A job that is not done by then
     * returns to the head of the queue when its lock has expired.
     */
    async close(timeoutMs = 5_000) {
      // Bull reconnects for both calls: without Redis they fail or never settle, hence the timeouts.
      const finished = queue.pause(true, true).then(() => queue.whenCurrentJobsFinished())
      await Promise.race([finished.catch(() => {}), sleep(timeoutMs)])
      await Promise.race([queue.close(true).catch(() => {}), sleep(CLOSE_MS)])
      for (const redis of connections) redis.disconnect()
    },
  }
}

export type Consumer = ReturnType<typeof createConsumer>

/**
 * True for an entry without content, which no producer added. Bull hands it over when this consumer was blocked for so long
 * that another one has finished the job.
 */
const isGhost = (job: Bull.Job): boolean => !job.timestamp && Object.keys(job.data ?? {}).length === 0

const CHECK_MS = 5_000
const CHECKS = 4

/**
 * Ends the process when jobs wait and there was no progress for 20 seconds: a Bull consumer may hang after its connection
 * broke (Bull issues 1873 and 2417). The parent process or PM2 restarts it.
 * @param options.progress returns a number that changes with each completed work
 * @param options.isBusy returns true while jobs are being handled: a long wait for the database is not a hang
 */
export function watchForStandstill(options: {
  queue?: QueueName
  redis: Redis
  log: Log
  progress: () => number
  isBusy: () => boolean
}) {
  let last = options.progress()
  let still = 0
  const timer = setInterval(async () => {
    const now = options.progress()
    const waiting = await queueDepth(options.redis, options.queue).then(
      depth => depth.waiting,
      () => 0, // Redis is unreachable: the depth is unknown
    )
    still = waiting > 0 && now === last && !options.isBusy() ? still + 1 : 0
    last = now
    if (still >= CHECKS) {
      options.log.fatal({ waiting, queue: options.queue }, 'the consumer stands still while jobs wait')
      process.exit(1)
    }
  }, CHECK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
