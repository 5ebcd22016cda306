import { onTestFinished } from 'vitest'
import { connectPatientRedis, whenReady } from '../../src/redis/connect.ts'
import type { Services } from '../../src/services.ts'
import { SITE_CHANGES } from '../../src/sites/change-site.ts'

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
