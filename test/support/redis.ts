import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
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

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 30

/** Files in memory survive a killed server as those on a disk do, and a slow disk makes no command late. */
function folderForRedis(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
}

/** A private redis-server with the settings of the embedded one. Shut it in `afterAll`. */
export async function testRedis(): Promise<TestRedis> {
  const dataDir = mkdtempSync(join(folderForRedis(), 'analytics-redis-'))
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
