import type { Redis } from 'ioredis'
import { keysOf, QUEUES } from './layout.ts'

export interface QueueDepth {
  /** Jobs not yet taken, in all queues. */
  waiting: number
  /** Jobs that failed and come again. */
  delayed: number
  /** Jobs at work. */
  active: number
  /** Unix milliseconds at which the oldest job that waits was added. */
  oldestAt: number | undefined
}

export async function queueDepth(redis: Redis): Promise<QueueDepth> {
  const depth: QueueDepth = { waiting: 0, delayed: 0, active: 0, oldestAt: undefined }
  for (const queue of QUEUES) {
    const prefix = keysOf(queue)
    const [waiting, delayed, active, oldest] = await Promise.all([
      redis.llen(`${prefix}:wait`),
      redis.zcard(`${prefix}:delayed`),
      redis.llen(`${prefix}:active`),
      redis.lindex(`${prefix}:wait`, -1),
    ])
    const addedAt = oldest === null ? null : await redis.hget(`${prefix}:${oldest}`, 'timestamp')
    if (addedAt !== null)
      depth.oldestAt = Math.min(depth.oldestAt ?? Number.POSITIVE_INFINITY, Number(addedAt))
    depth.waiting += waiting
    depth.delayed += delayed
    depth.active += active
  }
  return depth
}
