import { AppError } from '../errors.ts'
import { statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import { announceSiteChange } from './changes.ts'
import type { SiteRecord } from './schema.ts'

const markDeleted = statement<{ trackingKey: string }>('delete-site')

/** Marks the site as deleted: it is no longer served and its hits are refused. Its data is removed in the background. */
export async function deleteSite(
  services: Pick<Services, 'db' | 'redis' | 'log' | 'now'>,
  site: SiteRecord,
): Promise<void> {
  const [deleted] = await markDeleted(services.db, site.siteNo, services.now())
  if (!deleted) throw new AppError('not_found', 'No such site')
  await announceSiteChange(services, deleted.trackingKey)
}
