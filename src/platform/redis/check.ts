import type { Redis } from 'ioredis'
import { mastersOf, type RedisClient } from './client.ts'

/**
 * Checks the version and the settings of Redis, of each master of a cluster; one that could evict waiting hits is an error.
 * @returns warnings, one line for each risk of losing hits
 * @throws Error that says what is wrong and how to correct it
 */
export async function checkRedis(redis: RedisClient): Promise<string[]> {
  return [...new Set((await Promise.all(mastersOf(redis).map(checkServer))).flat())]
}

async function checkServer(redis: Redis): Promise<string[]> {
  const info = await redis.info()
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const [major, minor] = (field('redis_version') ?? '0.0').split('.').map(Number)
  if (major! < 6 || (major === 6 && minor! < 2)) {
    throw new Error(`REDIS_URL is Redis ${field('redis_version')}; 6.2 or newer is needed`)
  }
  const policy = field('maxmemory_policy') ?? (await readSetting(redis, 'maxmemory-policy'))
  if (policy !== 'noeviction') {
    throw new Error(
      `REDIS_URL has maxmemory-policy ${policy ?? 'unknown'}: under memory pressure it would throw hits away that were ` +
        'answered 202. Set `maxmemory-policy noeviction` (CONFIG SET and redis.conf).',
    )
  }
  if (field('aof_enabled') !== '1') {
    return [
      'Redis keeps no append-only file: if it dies, all hits that wait in it are lost. Set `appendonly yes`.',
    ]
  }
  const fsync = await readSetting(redis, 'appendfsync')
  if (fsync === 'always') return []
  return [
    `Redis has appendfsync ${fsync ?? 'unknown'}: if it dies, hits of the last second that were answered 202 may be lost. ` +
      'Set `appendfsync always`.',
  ]
}

/** Returns undefined where the server does not allow CONFIG, such as a managed one. */
export async function readSetting(redis: Redis, name: string): Promise<string | undefined> {
  try {
    const reply = (await redis.config('GET', name)) as string[]
    return reply[1]
  } catch {
    return undefined
  }
}
