import { AppError, invalidField } from '../errors.ts'
import { type Queryable, statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import { hasActivePlan } from '../teams/plans.ts'
import type { Caller } from '../teams/schema.ts'
import { announceSiteChange } from './changes.ts'
import { presentSite } from './present-site.ts'
import type { CreateSite, Site, SiteRecord } from './schema.ts'

const lockTeam = statement('lock-team')
const countSites = statement<{ count: number }>('count-sites')
const insertSite = statement<SiteRecord>('create-site')

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
  caller: Caller,
  input: CreateSite,
): Promise<Site> {
  const { db, config } = services
  const site = await db.begin(async transaction => {
    await lockTeam(transaction, caller.teamId)
    await requireRoom(transaction, caller.teamId, config.sitesPerTeam)
    const [created] = await insertSite(transaction, caller.teamId, input.domain, input.timezone)
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
  const [sites] = await countSites(db, teamId)
  if (sites!.count >= ceiling) {
    throw new AppError('forbidden', `The team has reached its ceiling of ${ceiling} sites`)
  }
}
