import { connectRedis, whenReady } from '../../src/redis/connect.ts'
import { createLog } from '../../src/runtime/log.ts'
import type { BenchService } from './service.ts'

export const FSYNC = ['always', 'everysec'] as const
export type Fsync = (typeof FSYNC)[number]

export interface BenchRedis {
  /** Value of `appendfsync`: when Redis syncs to disk. */
  fsync: string
  /** Process id as Redis reports it. */
  pid: number
}

/**
 * Reads the settings of the Redis of a service. Sets `appendfsync` when the Redis is the service's own.
 * @throws Error when `appendfsync` of an external Redis differs from `fsync`
 */
export async function settleRedis(
  { redisUrl, hasOwnRedis }: Pick<BenchService, 'redisUrl' | 'hasOwnRedis'>,
  fsync: Fsync | undefined,
): Promise<BenchRedis> {
  const redis = connectRedis(redisUrl, createLog({ level: 'warn', role: 'bench', stderr: true }))
  try {
    await whenReady(redis, 5_000)
    if (fsync && hasOwnRedis) await redis.config('SET', 'appendfsync', fsync)
    const [, found = ''] = (await redis.config('GET', 'appendfsync')) as string[]
    if (fsync && found !== fsync) throw new Error(`the Redis that was given has appendfsync ${found}`)
    const pid = Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1])
    return { fsync: found, pid }
  } finally {
    redis.disconnect()
  }
}
