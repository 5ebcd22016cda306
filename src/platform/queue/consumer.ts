import { setTimeout as sleep } from 'node:timers/promises'
import Bull from 'bull'
import type { RedisClient } from '../redis/client.ts'
import { connectPatientRedis } from '../redis/connect-redis.ts'
import type { Log } from '../runtime/log.ts'
import { bullPrefix, countWaiting, lanesOfQueue, type QueueName, SETTINGS } from './bull-format.ts'

const CLOSE_MS = 1_000

/**
 * Runs `handle` for every job of the queue, up to `concurrency` at once in all its lanes.
 * A job whose handler rejects is retried one second later, without limit.
 */
export function createConsumer<Payload>(options: {
  queue?: QueueName
  redisUrl: string
  concurrency: number
  log: Log
  handle: (payload: Payload) => Promise<void>
}) {
  const { queue: name = 'hits', redisUrl, log } = options
  const connections: RedisClient[] = []
  const connect = () => {
    const redis = connectPatientRedis(redisUrl, log)
    connections.push(redis)
    return redis
  }
  // Bull's commands need one connection for all lanes, and one for each lane: taking a job blocks it.
  const shared = connect()
  const lanes = lanesOfQueue(shared, name)
  const queues = lanes.map(lane => {
    const createClient = (type: string) => (type === 'client' ? shared : connect())
    const queue = new Bull<Payload>(name, { prefix: bullPrefix(lane), settings: SETTINGS, createClient })
    queue.on('error', error => log.warn({ reason: error?.message }, 'queue'))
    queue.on('failed', (_job, error) => log.warn({ reason: error.message }, 'job will be tried again'))
    return queue
  })

  async function run(queue: Bull.Queue<Payload>): Promise<void> {
    try {
      await queue.process(Math.ceil(options.concurrency / queues.length), async job => {
        if (isGhost(job)) await job.remove()
        else await options.handle(job.data)
      })
    } catch (error) {
      log.warn({ reason: (error as Error | undefined)?.message }, 'queue')
    }
  }
  for (const queue of queues) void run(queue)

  return {
    /**
     * Takes no more jobs, waits up to `timeoutMs` for running ones, and closes the connections. A job that is not done by then
     * returns to the head of the queue when its lock has expired.
     */
    async close(timeoutMs = 5_000) {
      // Bull reconnects for both calls: without Redis they fail or never settle, hence the timeouts.
      const finished = Promise.all(
        queues.map(queue => queue.pause(true, true).then(() => queue.whenCurrentJobsFinished())),
      )
      await Promise.race([finished.catch(() => {}), sleep(timeoutMs)])
      const closed = Promise.all(queues.map(queue => queue.close(true).catch(() => {})))
      await Promise.race([closed, sleep(CLOSE_MS)])
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
  redis: RedisClient
  log: Log
  progress: () => number
  isBusy: () => boolean
}) {
  let last = options.progress()
  let still = 0
  const timer = setInterval(async () => {
    const now = options.progress()
    // Where Redis is unreachable, the number is unknown.
    const waiting = await countWaiting(options.redis, options.queue).catch(() => 0)
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
