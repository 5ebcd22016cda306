import { onTestFinished } from 'vitest'
import { SITE_CHANGES } from '../../src/access/sites/change-site.ts'
import { connectPatientRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import type { Services } from '../../src/platform/services.ts'

/** Hears until the end of a test which sites workers are told of, by tracking key. */
export async function hearSiteChanges({ config, log }: Pick<Services, 'config' | 'log'>): Promise<string[]> {
  const subscriber = connectPatientRedis(config.redisUrl!, log)
  onTestFinished(() => subscriber.disconnect())
  await whenReady(subscriber, 30_000)
  const heard: string[] = []
  subscriber.on('message', (_, key) => heard.push(key))
  await subscriber.subscribe(SITE_CHANGES)
  return heard
}
