import type { RequestHandler } from 'express'
import { AppError } from '../platform/errors.ts'
import { withDeadline } from '../platform/lib/deadline.ts'
import type { RedisClient } from '../platform/redis/client.ts'
import { lanesOf } from '../platform/redis/lanes.ts'
import type { Services } from '../platform/services.ts'

const TIME_LIMIT_MS = 1_500

/** Answers 200 while the process can answer requests. */
export const healthz: RequestHandler = (_req, res) => {
  res.json({ status: 'ok' })
}

/** Answers 200 when database and Redis answer and the disk has room for hits, else 503 with the parts that fail. */
export function readyz({ db, redis, disk }: Pick<Services, 'db' | 'redis' | 'disk'>): RequestHandler {
  return async (_req, res) => {
    const parts = { database: () => db`select 1`, redis: () => everyLaneAnswers(redis) }
    const failed: string[] = disk.isShort() ? ['disk'] : []
    await Promise.all(
      Object.entries(parts).map(async ([name, check]) => {
        if (!(await answers(check))) failed.push(name)
      }),
    )
    if (failed.length > 0) {
      throw new AppError('unavailable', `Not ready: ${failed.sort().join(' and ')}`, { retryAfter: 2 })
    }
    res.json({ status: 'ok' })
  }
}

/** Asks for a key of each lane: of a cluster, the master of each must answer. */
const everyLaneAnswers = (redis: RedisClient) =>
  Promise.all(lanesOf(redis).map(({ tag }) => redis.exists(`${tag}ready`)))

async function answers(check: () => PromiseLike<unknown>): Promise<boolean> {
  const answer = Promise.resolve().then(check)
  return withDeadline(TIME_LIMIT_MS, answer, () => new Error('no answer')).then(
    () => true,
    () => false,
  )
}
