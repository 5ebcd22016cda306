import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { AppError, invalidField } from '../errors.ts'
import type { Services } from '../services.ts'
import { hasActivePlan } from '../teams/plans.ts'
import type { Caller } from '../teams/schema.ts'
import { announceSiteChange } from './changes.ts'
import { CREATION_COLUMNS, CREATION_PARAMETERS, type CreateSite } from './options.ts'
import { presentSite } from './present-site.ts'
import { SITE_COLUMNS, type Site, type SiteRecord } from './schema.ts'

/**
 * Makes transactions that add a site to the team run one after the other. Not `for update`: it would also block transactions that
 * only refer to the team.
 */
const lockTeam = query<{ teamId: string }, { id: string }>(
  'lock-team',
  'select id from teams where id = :teamId for no key update',
)

const countSites = query<{ teamId: string }, { count: number }>(
  'count-sites',
  'select count(*)::int as count from sites where team_id = :teamId and deleted_at is null',
)

/** Returns no row when the team has a site for that domain. */
const insertSite = query<{ teamId: string } & CreateSite, SiteRecord>(
  'create-site',
  `insert into sites (team_id, ${CREATION_COLUMNS})
  values (:teamId, ${CREATION_PARAMETERS})
  on conflict (team_id, domain) where deleted_at is null do nothing
  returning ${SITE_COLUMNS}`,
)

/**
 * Checks whether the caller may create a site. Does not check the domain.
 * @throws AppError `forbidden` for a token that is limited to sites, a team without plan or trial, a team at its
 * site ceiling
 */
export async function requireSiteCreation(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  caller: Caller,
): Promise<void> {
  if (caller.siteIds) throw new AppError('forbidden', 'A token that is limited to sites cannot create one')
  if (!hasActivePlan(caller, now())) {
    throw new AppError('forbidden', 'Creating a site needs an active plan or a running trial')
  }
  await requireRoom(db, caller.teamId, config.sitesPerTeam)
}

/**
 * Creates a site. A lock on the team enforces the site ceiling and unique domains under concurrent requests.
 * @throws AppError `forbidden` at the site ceiling, `validation_failed` when the team already has the domain
 */
export async function createSite(
  services: Pick<Services, 'db' | 'redis' | 'config' | 'log'>,
  { teamId }: Caller,
  input: CreateSite,
): Promise<Site> {
  const { db, config } = services
  const site = await db.begin(async transaction => {
    await lockTeam(transaction, { teamId })
    await requireRoom(transaction, teamId, config.sitesPerTeam)
    const [created] = await insertSite(transaction, { teamId, ...input })
    if (!created) throw domainTaken()
    return created
  })
  await announceSiteChange(services, site.trackingKey)
  return presentSite(site, config.baseUrl)
}

/** Returns the 422 error for a domain that another site of the team has. */
export function domainTaken(): AppError {
  return invalidField('domain', 'The team already has a site for that domain')
}

async function requireRoom(db: Queryable, teamId: string, ceiling: number): Promise<void> {
  const [sites] = await countSites(db, { teamId })
  if (sites!.count >= ceiling) {
    throw new AppError('forbidden', `The team has reached its ceiling of ${ceiling} sites`)
  }
}
