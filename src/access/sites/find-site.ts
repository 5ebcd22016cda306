import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../teams/caller.ts'
import { isUuid, normalizeDomain } from './domain.ts'
import { TRACKED_OPTION_COLUMNS, type TrackedOptionValues } from './options.ts'
import { SITE_COLUMNS, type SiteRecord } from './site-schema.ts'

/** Fields that ingestion needs of a site. */
export interface TrackedSite extends TrackedOptionValues {
  siteNo: number
  siteId: string
  /** Encrypted; null when the site accepts identities without a signature. */
  identifySecret: Uint8Array | null
}

const TRACKED_COLUMNS = `site_no as "siteNo", id as "siteId", identify_secret as "identifySecret", ${TRACKED_OPTION_COLUMNS}`

interface SiteQuery {
  teamId: string
  /** A site is found by its id or by its domain; the other one is null. */
  id: string | null
  domain: string | null
  /** The sites that a token is limited to; null for all. */
  siteIds: string[] | null
}

const selectSite = query<SiteQuery, SiteRecord>(
  'find-site',
  `select ${SITE_COLUMNS}
  from sites
  where
    team_id = :teamId
    and deleted_at is null
    and (id = :id or domain = :domain)
    and (:siteIds::uuid[] is null or id = any(:siteIds))`,
)

const selectSiteByKey = query<{ trackingKey: string }, TrackedSite>(
  'find-site-by-key',
  `select ${TRACKED_COLUMNS} from sites where tracking_key = :trackingKey and deleted_at is null`,
)

const selectSitesByKeys = query<{ trackingKeys: string[] }, TrackedSite & { trackingKey: string }>(
  'find-sites-by-keys',
  `select ${TRACKED_COLUMNS}, tracking_key as "trackingKey"
  from sites
  where tracking_key = any(:trackingKeys::uuid[]) and deleted_at is null`,
)

const selectTrackedSites = query<{ limit: number }, TrackedSite & { trackingKey: string }>(
  'list-tracked-sites',
  `select ${TRACKED_COLUMNS}, tracking_key as "trackingKey"
  from sites
  where deleted_at is null
  order by site_no desc
  limit :limit`,
)

/**
 * Returns the site for a `{siteKey}`: a UUID is an id, anything else a domain.
 * @throws AppError `not_found`, with the same message when the site does not exist, belongs to another team, or is
 * outside the sites that the token is limited to
 */
export async function findSite(
  db: Queryable,
  { teamId, siteIds }: Pick<Caller, 'teamId' | 'siteIds'>,
  siteKey: string,
): Promise<SiteRecord> {
  const [site] = await selectSite(db, { teamId, siteIds, ...readKey(siteKey) })
  if (!site) throw new AppError('not_found', 'No such site')
  return site
}

const selectSiteByNo = query<{ siteNo: number }, SiteRecord>(
  'find-site-by-no',
  `select ${SITE_COLUMNS} from sites where site_no = :siteNo and deleted_at is null`,
)

/** @returns undefined for a deleted site */
export async function findSiteByNo(db: Queryable, siteNo: number): Promise<SiteRecord | undefined> {
  return (await selectSiteByNo(db, { siteNo }))[0]
}

/** Returns whether a `{siteKey}` names the site. */
export function isKeyOf(siteKey: string, site: Pick<SiteRecord, 'id' | 'domain'>): boolean {
  const { id, domain } = readKey(siteKey)
  return id === null ? domain === site.domain : id.toLowerCase() === site.id
}

const selectPublicSite = query<{ id: string | null; domain: string | null }, SiteRecord>(
  'find-public-site',
  `select ${SITE_COLUMNS}
  from sites
  where is_public and deleted_at is null and (id = :id or domain = :domain)
  order by site_no
  limit 1`,
)

/** Returns the public site with the id, or the oldest with the domain; undefined without any. */
export async function findPublicSite(db: Queryable, siteKey: string): Promise<SiteRecord | undefined> {
  return (await selectPublicSite(db, readKey(siteKey)))[0]
}

/** A text that is neither an id nor a domain becomes the empty domain, which no site has. */
const readKey = (siteKey: string): { id: string | null; domain: string | null } =>
  isUuid(siteKey) ? { id: siteKey, domain: null } : { id: null, domain: normalizeDomain(siteKey) ?? '' }

/** @returns undefined for an unknown key or the key of a deleted site */
export async function findSiteByKey(db: Queryable, trackingKey: string): Promise<TrackedSite | undefined> {
  if (!isUuid(trackingKey)) return undefined
  const [site] = await selectSiteByKey(db, { trackingKey })
  return site
}

/** Returns the sites of tracking keys, by key as given; none for an unknown key or the key of a deleted site. */
export async function findSitesByKeys(
  db: Queryable,
  trackingKeys: readonly string[],
): Promise<Map<string, TrackedSite>> {
  const found = byTrackingKey(await selectSitesByKeys(db, { trackingKeys: trackingKeys.filter(isUuid) }))
  const named = trackingKeys.map(key => [key, found.get(key.toLowerCase())] as const)
  return new Map(named.filter((entry): entry is [string, TrackedSite] => entry[1] !== undefined))
}

/** Returns the newest `limit` sites of all teams, by tracking key. */
export async function listTrackedSites(db: Queryable, limit: number): Promise<Map<string, TrackedSite>> {
  return byTrackingKey(await selectTrackedSites(db, { limit }))
}

const byTrackingKey = (sites: (TrackedSite & { trackingKey: string })[]): Map<string, TrackedSite> =>
  new Map(sites.map(({ trackingKey, ...site }) => [trackingKey, site]))

/** Fields that administration needs of a site of any team. */
export interface AnySite extends Pick<TrackedSite, 'siteNo' | 'siteId' | 'timezone' | 'trackingMode'> {
  domain: string
  /** Time of its earliest pageview or event; null until there is one. */
  firstEventAt: Date | null
  /** Hits before it are gone, and none are stored; null while none were dropped. */
  detailsFrom: Date | null
}

/** Sites of all teams: by id, by domain, or every site when both are null. */
const selectAnySites = query<{ id: string | null; domain: string | null }, AnySite>(
  'find-sites-anywhere',
  `select
    site_no as "siteNo",
    id as "siteId",
    domain,
    timezone,
    tracking_mode as "trackingMode",
    first_event_at as "firstEventAt",
    details_from as "detailsFrom"
  from sites
  where
    deleted_at is null
    and (:id::uuid is null or id = :id)
    and (:domain::text is null or domain = :domain)
  order by site_no`,
)

/** Returns every site of all teams that is not deleted. */
export const findAllSites = (db: Queryable): Promise<AnySite[]> =>
  selectAnySites(db, { id: null, domain: null })

/**
 * Returns the site of any team with the given id or domain.
 * @throws AppError `not_found`; `bad_request` for a domain that more than one team has
 */
export async function findSiteAnywhere(db: Queryable, siteKey: string): Promise<AnySite> {
  const key = readKey(siteKey)
  const sites = await selectAnySites(db, key)
  if (sites.length > 1) {
    throw new AppError(
      'bad_request',
      `${sites.length} sites have the domain ${key.domain}; give the id of one`,
    )
  }
  if (!sites[0]) throw new AppError('not_found', 'No such site')
  return sites[0]
}
