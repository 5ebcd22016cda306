import { findSite, findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import type { Db } from '../../src/platform/db/connect.ts'

/** Returns the ids of a team's sites; null when no site is given. */
export async function siteIdsOf(
  db: Db,
  teamId: string,
  sites: string[] | undefined,
): Promise<string[] | null> {
  if (!sites) return null
  const found = await Promise.all(sites.map(site => findSite(db, { teamId, siteIds: null }, site)))
  return found.map(({ id }) => id)
}

/** Returns the number of a site; null when no site is given. */
export async function siteNoOf(db: Db, site: string | undefined): Promise<number | null> {
  return site === undefined ? null : (await findSiteAnywhere(db, site)).siteNo
}
