import type { Redis } from 'ioredis'
import type { Log } from '../runtime/log.ts'
import { queueDepth } from './bull-format.ts'

const CHECK_MS = 5_000
const CHECKS = 4

/**
 * Ends the process when jobs wait and there was no progress for 20 seconds: a Bull consumer may hang after its connection
 * broke (Bull issues 1873 and 2417). The parent process or PM2 restarts it.
 * @param options.progress returns a number that changes with each completed work
 * @param options.isBusy returns true while jobs are being handled: a long wait for the database is not a hang
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
      () => 0, // Redis is unreachable: the depth is unknown
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
