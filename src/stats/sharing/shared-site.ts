import { createHash } from 'node:crypto'
import { findPublicSite } from '../../access/sites/find-site.ts'
import { presentSite, type SiteRecord } from '../../access/sites/site-schema.ts'
import type { Guard } from '../../access/teams/credentials.ts'
import type { Dimension } from '../../platform/dimensions/dimensions.ts'
import { sectionOf } from '../../platform/dimensions/dimensions.ts'
import { SECTIONS } from '../../platform/dimensions/sections.ts'
import type { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { type Grant, mayShow } from './grant.ts'
import type { ShareFilters } from './share-filters.ts'
import type { SharedSite } from './share-schema.ts'

/**
 * Returns the public site with a key: of sites with the same domain the oldest.
 * @param refusal error for everything else: which sites exist does not show
 */
export function usePublicSite(
  { db }: Pick<Services, 'db'>,
  siteKey: string,
  refusal: AppError,
  guard: Guard,
): Promise<SiteRecord> {
  return guard({
    hash: createHash('sha256').update(`public site\n${siteKey}`).digest(),
    find: () => findPublicSite(db, siteKey),
    refusal,
  })
}

/** Returns what a reader sees of the site; users, who have no grant, may read everything. */
export function presentShared(site: SiteRecord, grant: Grant | null, baseUrl: string): SharedSite {
  const { id, domain, timezone, currency, favicon_url, has_data } = presentSite(site, baseUrl)
  return {
    ...{ id, domain, timezone, currency, favicon_url, has_data },
    first_event_at: site.firstEventAt?.toISOString() ?? null,
    name: grant?.share?.name ?? null,
    sections: SECTIONS.filter(section => mayShow(grant, section)),
    filters: shownFilters(grant),
    may_export: grant?.mayExport ?? true,
    expires_at: grant?.share?.expiresAt?.toISOString() ?? null,
  }
}

/** Filters on people narrow what is shown, but their values, such as user ids, are shown only with the section. */
function shownFilters(grant: Grant | null): ShareFilters {
  const filters = Object.entries(grant?.share?.filters ?? {})
  const isShown = (name: string) => sectionOf(name as Dimension) !== 'people' || mayShow(grant, 'people')
  return Object.fromEntries(filters.filter(([name]) => isShown(name)))
}
