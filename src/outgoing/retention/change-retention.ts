import type { Audit } from '../../access/audit/audit.ts'
import { announced, auditEntry } from '../../access/sites/change-site.ts'
import { SITE_COLUMNS, type Site, type SiteRecord } from '../../access/sites/site-schema.ts'
import { query } from '../../platform/db/query.ts'
import type { Services } from '../../platform/services.ts'

const setRetention = query<{ siteNo: number; months: number | null }, SiteRecord>(
  'set-retention',
  `update sites
  set retention_months = :months::int
  where site_no = :siteNo and deleted_at is null
  returning ${SITE_COLUMNS}`,
)

/**
 * Changes how long the details of a site are kept. Details that are gone (`details_from`) do not come back.
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function updateRetention(
  services: Pick<Services, 'db' | 'redis' | 'config' | 'log'> & { audit: Audit },
  { siteNo }: SiteRecord,
  { retention_months: months }: { retention_months: number | null },
): Promise<Site> {
  const changed = await services.db.begin(async tx => {
    const rows = await setRetention(tx, { siteNo, months })
    if (rows[0]) await services.audit(tx, auditEntry('site.change', rows[0], { retention_months: months }))
    return rows
  })
  return announced(services, changed)
}
