import { type Audit, auditOf } from '../../src/access/audit/audit.ts'
import { createSite, updateSite } from '../../src/access/sites/change-site.ts'
import { findSite } from '../../src/access/sites/find-site.ts'
import type { SiteRecord } from '../../src/access/sites/site-schema.ts'
import { bootstrap, findOwner } from '../../src/access/teams/accounts.ts'
import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { AppError } from '../../src/platform/errors.ts'
import type { Services } from '../../src/platform/services.ts'

/** The owner in whose name the site is made. */
export interface Owner {
  teamId: string
  userId: string
  /** What a first start prints; null when it printed it already. */
  token: string | null
  setupUrl: string | null
  hasLogin: boolean
}

/**
 * Returns the oldest owner of a team; without a team, of the first one, which is made as a first start makes it.
 * @throws Error when the team has no owner
 */
export async function ownerOf(db: Db, config: Config, teamId: string | undefined, now: Date): Promise<Owner> {
  const found = await findOwner(db, teamId)
  if (found) return { ...found, token: null, setupUrl: null }
  if (teamId !== undefined) throw new Error(`there is no team ${teamId} with an owner`)
  const made = await bootstrap(db, config, now)
  return {
    teamId: made.team_id,
    userId: made.user_id,
    token: made.token,
    setupUrl: made.setup_url,
    hasLogin: made.setup_url === null,
  }
}

export type SiteServices = Pick<Services, 'db' | 'redis' | 'config' | 'log' | 'now'> & {
  audit: Audit
}

/** Returns the services with an audit log that says who filled the site. */
export function servicesOf(
  services: Omit<SiteServices, 'audit'>,
  { teamId, userId }: Pick<Owner, 'teamId' | 'userId'>,
): SiteServices {
  const actor = { teamId, userId, loginId: null, tokenId: null, name: 'npm run demo', network: '' }
  return { ...services, audit: auditOf(actor, services.now) }
}

/** Returns the site of a team, or undefined when it has none for that domain. */
export async function findTeamSite(db: Db, teamId: string, domain: string): Promise<SiteRecord | undefined> {
  try {
    return await findSite(db, { teamId, siteIds: null }, domain)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Creates the site. @throws AppError when the team has as many sites as it may */
export async function makeSite(
  services: SiteServices,
  { teamId }: Pick<Owner, 'teamId'>,
  { domain, timezone }: { domain: string; timezone: string },
): Promise<SiteRecord> {
  await createSite(services, { teamId }, { domain, timezone })
  const site = await findSite(services.db, { teamId, siteIds: null }, domain)
  await updateSite(services, site, { tracking_mode: 'cookie', track_errors: true, track_web_vitals: true })
  return findSite(services.db, { teamId, siteIds: null }, domain)
}
