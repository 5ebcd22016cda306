import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import { announceSiteChange } from './changes.ts'
import type { SiteRecord } from './schema.ts'

/** The row stays: its number must not be used again, and the purge needs it to find the data of the site. */
const markDeleted = query<{ siteNo: number; now: Date }, { trackingKey: string }>(
  'delete-site',
  `update sites
  set deleted_at = :now
  where site_no = :siteNo and deleted_at is null
  returning tracking_key as "trackingKey"`,
)

/** Marks the site as deleted: it is no longer served and its hits are refused. Its data is removed in the background. */
export async function deleteSite(
  services: Pick<Services, 'db' | 'redis' | 'log' | 'now'>,
  site: SiteRecord,
): Promise<void> {
  const [deleted] = await markDeleted(services.db, { siteNo: site.siteNo, now: services.now() })
  if (!deleted) throw new AppError('not_found', 'No such site')
  await announceSiteChange(services, deleted.trackingKey)
}
