import { query } from '../../platform/db/query.ts'
import type { Services } from '../../platform/services.ts'
import { presentSite, type Site, type SiteRecord } from './site-schema.ts'

const findProcessor = query<{ siteNo: number }, { hasProcessor: boolean }>(
  'find-processor-of-site',
  'select exists (select from processor_connections where site_no = :siteNo) as "hasProcessor"',
)

/** Returns the site as the API answers it. */
export async function answerSite(
  { db, config }: Pick<Services, 'db' | 'config'>,
  site: SiteRecord,
): Promise<Site> {
  const [found] = await findProcessor(db, { siteNo: site.siteNo })
  return { ...presentSite(site, config.baseUrl), has_processor: found!.hasProcessor }
}
