import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startRedis } from '../../src/platform/embedded/redis.ts'
import type { RedisClient } from '../../src/platform/redis/client.ts'
import { connectRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import { endWithWorker } from './end-with-worker.ts'
import { silentLog } from './log.ts'
import { ofFile } from './of-file.ts'

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

let shared: Promise<TestRedis> | undefined
let holders = 0
let emptied = Promise.resolve()
let lastFile: string | undefined

/**
 * The redis-server of this test worker, empty unless somebody in the same file has it already. Close it in `afterAll`: that ends no
 * server, but the next one to ask finds it empty.
 */
export async function testRedis(): Promise<TestRedis> {
  shared ??= privateRedis().then(server => {
    endWithWorker([server.pid])
    return server
  })
  const { url, pid } = await shared
  const { testPath } = expect.getState()
  if (testPath !== lastFile) holders = 0
  lastFile = testPath
  holders += 1
  if (holders === 1) emptied = empty(url)
  await emptied
  let isHeld = true
  return {
    url,
    pid,
    async close() {
      if (isHeld && expect.getState().testPath === testPath) holders -= 1
      isHeld = false
    },
  }
}

async function empty(url: string): Promise<void> {
  const redis = await connectTo({ url })
  await redis.flushall()
  redis.disconnect()
}

/** A redis-server with the settings of the embedded one, for a test that stops it or that outlives its file. Shut it in `afterAll`. */
export async function privateRedis(): Promise<TestRedis> {
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

/** The redis-server of this test worker for the tests of a file, and a connection to it. */
export const useRedis = () =>
  ofFile(async () => {
    const server = await testRedis()
    const redis = await connectTo(server)
    const close = () => {
      redis.disconnect()
      return server.close()
    }
    return { url: server.url, redis, close }
  })
