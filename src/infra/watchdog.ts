import type { Redis } from 'ioredis'
import type { Log } from './log.ts'
import { queueDepth } from './queue/depth.ts'

const CHECK_MS = 5_000
const CHECKS = 4

/**
 * Ends the process when jobs wait and nothing has moved for 20 seconds: a Bull consumer may stand still after its
 * connection broke (Bull issues 1873 and 2417). Whoever started the process starts it again.
 * @param options.progress a number that changes whenever something is done
 * @param options.isBusy true while jobs are at work, for however long: waiting for a database is no standstill
 */
export function watchForStandstill(options: {
  redis: Redis
  log: Log
  progress: () => number
  isBusy: () => boolean
}): { stop(): void } {
  let last = options.progress()
  let still = 0
  const timer = setInterval(async () => {
    const now = options.progress()
    const waiting = await queueDepth(options.redis).then(
      depth => depth.waiting,
      () => 0, // Redis is away: nothing can be said
    )
    still = waiting > 0 && now === last && !options.isBusy() ? still + 1 : 0
    last = now
    if (still >= CHECKS) {
      options.log.fatal({ waiting }, 'the consumer stands still while jobs wait')
      process.exit(1)
    }
  }, CHECK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
