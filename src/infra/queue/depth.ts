import type { Redis } from 'ioredis'
import { KEY_PREFIX } from './layout.ts'

export interface QueueDepth {
  /** Jobs that no consumer has taken yet. */
  waiting: number
  /** Failed jobs that wait for their retry, and jobs that were added with a delay. */
  delayed: number
  /** Jobs that a consumer is handling. */
  active: number
  /** Unix milliseconds at which the oldest waiting job was added. */
  oldestAt: number | undefined
}

export async function queueDepth(redis: Redis): Promise<QueueDepth> {
  const [waiting, delayed, active, oldest] = await Promise.all([
    redis.llen(`${KEY_PREFIX}:wait`),
    redis.zcard(`${KEY_PREFIX}:delayed`),
    redis.llen(`${KEY_PREFIX}:active`),
    redis.lindex(`${KEY_PREFIX}:wait`, -1),
  ])
  const addedAt = oldest === null ? null : await redis.hget(`${KEY_PREFIX}:${oldest}`, 'timestamp')
  return { waiting, delayed, active, oldestAt: addedAt === null ? undefined : Number(addedAt) }
}
