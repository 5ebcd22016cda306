import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { isManager, type Role } from './caller.ts'

const countSitesAmong = query<{ teamId: string; siteIds: string[] }, { count: number }>(
  'count-sites-among',
  `select count(*)::int as count
  from sites
  where team_id = :teamId and id = any(:siteIds::uuid[]) and deleted_at is null`,
)

/**
 * Checks that sites belong to the team.
 * @returns their ids in lower case, each once; null, for every site, stays null
 * @throws AppError `not_found`
 */
export async function requireTeamSites(
  db: Queryable,
  teamId: string,
  given: string[] | null,
): Promise<string[] | null> {
  if (!given) return null
  const siteIds = [...new Set(given.map(id => id.toLowerCase()))]
  const [found] = await countSitesAmong(db, { teamId, siteIds })
  if (found!.count !== siteIds.length) throw new AppError('not_found', 'No such site')
  return siteIds
}

/**
 * Checks the sites that a user with the role is to be limited to. Returns and throws as `requireTeamSites`.
 * @throws AppError `validation_failed` for roles that cannot be limited
 */
export async function requireSiteLimit(
  db: Queryable,
  { teamId, role, siteIds }: { teamId: string; role: Role; siteIds: string[] | null },
): Promise<string[] | null> {
  if (siteIds && isManager(role)) {
    throw invalidField('site_ids', 'site_ids must be null for owners and admins, who reach every site')
  }
  return requireTeamSites(db, teamId, siteIds)
}
