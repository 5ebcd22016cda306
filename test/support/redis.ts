import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../../src/embedded/redis.ts'
import type { RedisClient } from '../../src/redis/client.ts'
import { connectRedis, whenReady } from '../../src/redis/connect.ts'
import { silentLog } from './log.ts'

export interface TestRedis {
  url: string
  pid: number
  close(): Promise<void>
}

/** A private redis-server with the settings of the embedded one. Shut it in `afterAll`. */
export async function testRedis(): Promise<TestRedis> {
  const dataDir = mkdtempSync(join(tmpdir(), 'analytics-redis-'))
  const redis = await startRedis({ dataDir, log: silentLog })
  return {
    url: `unix://${redis.socketPath}`,
    pid: redis.pid,
    async close() {
      await redis.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A connection to it that is ready; `disconnect` it. */
export async function connectTo({ url }: { url: string }): Promise<RedisClient> {
  const redis = connectRedis(url, silentLog)
  await whenReady(redis, 30_000)
  return redis
}
