import { createConsumer } from '../../../src/platform/queue/consumer.ts'
import { silentLog } from '../../support/log.ts'

/** A consumer that takes jobs and never finishes one; it sends `taken` for each. */
createConsumer({
  redisUrl: process.env.REDIS_URL!,
  concurrency: 1,
  log: silentLog,
  async handle() {
    process.send!('taken')
    await new Promise(() => {})
  },
})
