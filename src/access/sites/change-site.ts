import { inTransaction, type Queryable } from '../../platform/db/connect.ts'
import { sqlState } from '../../platform/db/database-errors.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import type { Audit, AuditAction, AuditEntry } from '../audit/audit.ts'
import { hasActivePlan } from '../teams/accounts.ts'
import type { Caller } from '../teams/caller.ts'
import { lockTeam } from '../teams/lock-team.ts'
import { answerSite } from './answer-site.ts'
import {
  CREATION_COLUMNS,
  CREATION_PARAMETERS,
  type CreateSite,
  OPTION_ASSIGNMENTS,
  type OptionChanges,
  type OptionParameters,
  optionParameters,
} from './options.ts'
import { SITE_COLUMNS, type Site, type SiteRecord } from './site-schema.ts'

/** Redis channel. Each message is the tracking key of a site that was created, changed or deleted. */
export const SITE_CHANGES = 'site-changes'

/**
 * Tells every process that caches sites by key to reload this site. A failed announcement does not fail the
 * change: cached sites also expire by themselves.
 */
export async function announceSiteChange(
  { redis, log }: Pick<Services, 'redis' | 'log'>,
  trackingKey: string,
): Promise<void> {
  try {
    await redis.publish(SITE_CHANGES, trackingKey)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'a site change was not announced')
  }
}

type Parts = Pick<Services, 'db' | 'redis' | 'config' | 'log'> & { audit: Audit }

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
  if (caller.siteIds) {
    const who = caller.tokenSiteIds ? 'A token that is limited to sites' : 'A user who is limited to sites'
    throw new AppError('forbidden', `${who} cannot create one`)
  }
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
  services: Parts,
  { teamId }: Pick<Caller, 'teamId'>,
  input: CreateSite,
): Promise<Site> {
  const { db, config } = services
  const created = await db.begin(async transaction => {
    await lockTeam(transaction, teamId)
    await requireRoom(transaction, teamId, config.sitesPerTeam)
    const rows = await insertSite(transaction, { teamId, ...input })
    if (rows.length === 0) throw domainTaken()
    await services.audit(transaction, auditEntry('site.create', rows[0]!, { domain: rows[0]!.domain }))
    return rows
  })
  return announced(services, created)
}

const domainTaken = () => invalidField('domain', 'The team already has a site for that domain')

async function requireRoom(db: Queryable, teamId: string, ceiling: number): Promise<void> {
  const [sites] = await countSites(db, { teamId })
  if (sites!.count >= ceiling) {
    throw new AppError('forbidden', `The team has reached its ceiling of ${ceiling} sites`)
  }
}

/** Sets the options that are not null; returns no row when the site was deleted. */
const writeSite = query<{ siteNo: number } & OptionParameters, SiteRecord>(
  'update-site',
  `update sites
  set ${OPTION_ASSIGNMENTS}
  where site_no = :siteNo and deleted_at is null
  returning ${SITE_COLUMNS}`,
)

/** The database flips the value, so that two requests at the same time both take effect. */
const flipPin = query<{ siteNo: number }, SiteRecord>(
  'toggle-pin',
  `update sites
  set is_pinned = not is_pinned
  where site_no = :siteNo and deleted_at is null
  returning ${SITE_COLUMNS}`,
)

/**
 * Locks the currency against changes until the transaction ends. A transaction that writes rows in the currency of the site must
 * first lock the site's row with `for share`.
 */
export const lockSiteCurrency = query<{ siteNo: number }, { currency: string }>(
  'lock-site-currency',
  'select currency from sites where site_no = :siteNo and deleted_at is null for no key update',
)

const findObstacles = query<
  { siteNo: number; currency: string },
  { hasRevenueGoals: boolean; hasForeignPayments: boolean }
>(
  'find-currency-obstacles',
  `select
    exists (select 1 from goals where site_no = :siteNo::int and currency is not null) as "hasRevenueGoals",
    exists (select 1 from payments where site_no = :siteNo::int and currency <> :currency::text) as "hasForeignPayments"`,
)

const UNIQUE_VIOLATION = '23505'

/**
 * Changes settings that other data does not restrict: all except the currency and the time zone.
 * @throws AppError `validation_failed` when another site of the team has the domain, also under concurrent requests;
 * `not_found` when the site was deleted meanwhile
 */
export async function updateSite(
  services: Parts,
  site: SiteRecord,
  changes: Omit<OptionChanges, 'currency' | 'timezone'>,
): Promise<Site> {
  try {
    return await announced(services, await write(services, services.db, site, changes))
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw domainTaken()
    throw error
  }
}

/**
 * Changes the reporting currency. The present currency is always accepted.
 * @throws AppError `validation_failed` while the site has goals with a currency, or payments in another currency than
 * the new one; `not_found` when the site was deleted meanwhile
 * @see docs/api.md "Sites"
 */
export async function updateCurrency(
  services: Parts,
  site: SiteRecord,
  { currency }: { currency: string },
): Promise<Site> {
  const changed = await services.db.begin(async transaction => {
    const [present] = await lockSiteCurrency(transaction, { siteNo: site.siteNo })
    if (present?.currency !== currency) await requireFreeOfMoney(transaction, site.siteNo, currency)
    return write(services, transaction, site, { currency })
  })
  return announced(services, changed)
}

const lockTimezone = query<{ siteNo: number }, { timezone: string; detailsFrom: Date | null }>(
  'lock-site-timezone',
  `select timezone, details_from as "detailsFrom"
  from sites
  where site_no = :siteNo and deleted_at is null
  for no key update`,
)

/**
 * Changes the time zone. The present one is always accepted.
 * @throws AppError `validation_failed` once details of the site are gone: the numbers of its old days cannot be counted again for
 * days of another zone; `not_found` when the site was deleted meanwhile
 */
export async function updateTimezone(
  services: Parts,
  site: SiteRecord,
  { timezone }: { timezone: string },
): Promise<Site> {
  const changed = await services.db.begin(async transaction => {
    const [present] = await lockTimezone(transaction, { siteNo: site.siteNo })
    if (present?.detailsFrom && present.timezone !== timezone) {
      throw invalidField(
        'timezone',
        `The time zone stays ${present.timezone}: hits before ${present.detailsFrom.toISOString()} are gone (retention), ` +
          'and the numbers of those days cannot be counted again for days of another zone',
      )
    }
    return write(services, transaction, site, { timezone })
  })
  return announced(services, changed)
}

/** Pins the site, or unpins it when it is pinned. */
export async function togglePin(services: Parts, site: SiteRecord): Promise<Site> {
  return announced(services, await flipPin(services.db, { siteNo: site.siteNo }))
}

async function requireFreeOfMoney(db: Queryable, siteNo: number, currency: string): Promise<void> {
  const [found] = await findObstacles(db, { siteNo, currency })
  if (found!.hasRevenueGoals) {
    throw invalidField('currency', 'The site has goals with a currency: delete revenue goals first')
  }
  if (found!.hasForeignPayments) {
    throw invalidField(
      'currency',
      `The site has payments in another currency than ${currency}: reconcile or remove them first`,
    )
  }
}

const write = ({ audit }: Parts, db: Queryable, { siteNo }: SiteRecord, changes: OptionChanges) =>
  inTransaction(db, async transaction => {
    const rows = await writeSite(transaction, { siteNo, ...optionParameters(changes) })
    if (rows[0]) await audit(transaction, auditEntry('site.change', rows[0], changes))
    return rows
  })

export const auditEntry = (
  action: AuditAction,
  { id, domain }: SiteRecord,
  details: AuditEntry['details'] = {},
): AuditEntry => ({ action, object: { type: 'site', id }, details: { domain, ...details } })

/** @throws AppError `not_found` when there is no row */
export async function announced(services: Omit<Parts, 'audit'>, [changed]: SiteRecord[]): Promise<Site> {
  if (!changed) throw new AppError('not_found', 'No such site')
  await announceSiteChange(services, changed.trackingKey)
  return answerSite(services, changed)
}

/** The row stays: its number must not be used again, and the purge needs it to find the data of the site. */
const markDeleted = query<{ siteNo: number; now: Date }, SiteRecord>(
  'delete-site',
  `update sites
  set deleted_at = :now
  where site_no = :siteNo and deleted_at is null
  returning ${SITE_COLUMNS}`,
)

/** Marks the site as deleted: it is no longer served and its hits are refused. Its data is removed in the background. */
export async function deleteSite(services: Parts & Pick<Services, 'now'>, site: SiteRecord): Promise<void> {
  const deleted = await services.db.begin(async transaction => {
    const rows = await markDeleted(transaction, { siteNo: site.siteNo, now: services.now() })
    if (rows[0]) await services.audit(transaction, auditEntry('site.delete', rows[0]))
    return rows
  })
  await announced(services, deleted)
}
