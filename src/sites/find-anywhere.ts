import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import { isUuid, normalizeDomain } from './domain.ts'
import type { TrackedSite } from './find-site.ts'

/** Fields that administration needs of a site of any team. */
export interface AnySite extends Pick<TrackedSite, 'siteNo' | 'siteId' | 'timezone' | 'trackingMode'> {
  /** Time of its earliest pageview or event; null until there is one. */
  firstEventAt: Date | null
}

/** Sites of all teams: by id, by domain, or every site when both are null. */
const selectSites = query<{ id: string | null; domain: string | null }, AnySite>(
  'find-sites-anywhere',
  `select
    site_no as "siteNo",
    id as "siteId",
    timezone,
    tracking_mode as "trackingMode",
    first_event_at as "firstEventAt"
  from sites
  where
    deleted_at is null
    and (:id::uuid is null or id = :id)
    and (:domain::text is null or domain = :domain)
  order by site_no`,
)

/** Returns every site of all teams that is not deleted. */
export const findAllSites = (db: Queryable): Promise<AnySite[]> => selectSites(db, { id: null, domain: null })

/**
 * Returns the site of any team with the given id or domain.
 * @throws AppError `not_found`; `bad_request` for a domain that more than one team has
 */
export async function findSiteAnywhere(db: Queryable, siteKey: string): Promise<AnySite> {
  const id = isUuid(siteKey) ? siteKey : null
  const domain = id === null ? normalizeDomain(siteKey) : null
  const sites = domain === undefined ? [] : await selectSites(db, { id, domain })
  if (sites.length > 1) {
    throw new AppError('bad_request', `${sites.length} sites have the domain ${domain}; give the id of one`)
  }
  if (!sites[0]) throw new AppError('not_found', 'No such site')
  return sites[0]
}
