import { expect, test } from 'vitest'
import { startRedis } from '../../../src/platform/embedded/redis.ts'
import { connectPatientRedis, connectRedis } from '../../../src/platform/redis/connect-redis.ts'
import { folderOfCase } from '../../support/data-dir.ts'
import { silentLog } from '../../support/log.ts'

test.each([
  ['that must answer soon', connectRedis],
  ['that waits', connectPatientRedis],
])('Redis: a connection %s reconnects when Redis ended during the set-up', async (_which, connect) => {
  const dataDir = folderOfCase('redis')
  const first = await startRedis({ dataDir, log: silentLog })
  process.kill(first.pid, 'SIGSTOP') // accepts connections, but does not answer
  const redis = connect(`unix://${first.socketPath}`, silentLog)
  await new Promise<void>(resolve => redis.once('connect', resolve))
  const ended = new Promise<void>(resolve => first.onExit(resolve))
  process.kill(first.pid, 'SIGKILL')
  await ended
  const second = await startRedis({ dataDir, log: silentLog })
  await expect.poll(() => redis.ping().then(String, (error: Error) => error.message)).toBe('PONG')
  redis.disconnect()
  await second.stop()
})
