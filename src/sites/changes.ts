import type { Services } from '../services.ts'

/** Redis channel. Each message is the tracking key of a site that was created, changed or deleted. */
export const SITE_CHANGES = 'site-changes'

/**
 * Tells every process that caches sites by key to reload this site. A failed announcement does not fail the
 * change: cached sites also expire by themselves.
 */
export async function announceSiteChange(
  { redis, log }: Pick<Services, 'redis' | 'log'>,
  trackingKey: string,
): Promise<void> {
  try {
    await redis.publish(SITE_CHANGES, trackingKey)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'a site change was not announced')
  }
}
