import { AppError } from '../errors.ts'
import { type Queryable, statement } from '../infra/db.ts'
import type { Caller } from '../teams/schema.ts'
import { isUuid, normalizeDomain } from './domain.ts'
import type { SiteRecord } from './schema.ts'

/** Fields that ingestion needs of a site. */
export interface TrackedSite {
  siteNo: number
  siteId: string
  domain: string
  timezone: string
  currency: string
  trackingMode: 'cookieless' | 'cookie'
  trackErrors: boolean
  /** Encrypted; null when the site accepts identities without a signature. */
  identifySecret: Uint8Array | null
}

const selectSite = statement<SiteRecord>('find-site')
const selectSiteByKey = statement<TrackedSite>('find-site-by-key')
const selectTrackedSites = statement<TrackedSite & { trackingKey: string }>('list-tracked-sites')

/**
 * Returns the site for a `{siteKey}`: a UUID is an id, anything else a domain.
 * @throws AppError `not_found`, with the same message when the site does not exist, belongs to another team, or is
 * outside the sites that the token is limited to
 */
export async function findSite(
  db: Queryable,
  caller: Pick<Caller, 'teamId' | 'siteIds'>,
  siteKey: string,
): Promise<SiteRecord> {
  const id = isUuid(siteKey) ? siteKey : null
  const domain = id === null ? normalizeDomain(siteKey) : null
  const [site] = domain === undefined ? [] : await selectSite(db, caller.teamId, id, domain, caller.siteIds)
  if (!site) throw new AppError('not_found', 'No such site')
  return site
}

/** @returns undefined for an unknown key or the key of a deleted site */
export async function findSiteByKey(db: Queryable, trackingKey: string): Promise<TrackedSite | undefined> {
  if (!isUuid(trackingKey)) return undefined
  const [site] = await selectSiteByKey(db, trackingKey)
  return site
}

/** Returns the newest `limit` sites of all teams, by tracking key. */
export async function listTrackedSites(db: Queryable, limit: number): Promise<Map<string, TrackedSite>> {
  const sites = await selectTrackedSites(db, limit)
  return new Map(sites.map(({ trackingKey, ...site }) => [trackingKey, site]))
}
