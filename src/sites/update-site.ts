import type { Queryable } from '../db/connect.ts'
import { sqlState } from '../db/errors.ts'
import { query } from '../db/query.ts'
import { AppError, invalidField } from '../errors.ts'
import type { Services } from '../services.ts'
import { announceSiteChange } from './changes.ts'
import { domainTaken } from './create-site.ts'
import { OPTION_ASSIGNMENTS, type OptionChanges, type OptionParameters, optionParameters } from './options.ts'
import { presentSite } from './present-site.ts'
import { SITE_COLUMNS, type Site, type SiteRecord } from './schema.ts'

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

/** Reasons why the site cannot report in the currency. */
const findObstacles = query<
  { siteNo: number; currency: string },
  { hasRevenueGoals: boolean; hasForeignPayments: boolean }
>(
  'find-currency-obstacles',
  `select
    exists (select from goals where site_no = :siteNo::int and currency is not null) as "hasRevenueGoals",
    exists (select from payments where site_no = :siteNo::int and currency <> :currency::text) as "hasForeignPayments"`,
)

type Parts = Pick<Services, 'db' | 'redis' | 'config' | 'log'>

const UNIQUE_VIOLATION = '23505'

/**
 * Changes settings that other data does not restrict: all except the currency.
 * @throws AppError `validation_failed` when another site of the team has the domain, also under concurrent requests;
 * `not_found` when the site was deleted meanwhile
 */
export async function updateSite(
  services: Parts,
  site: SiteRecord,
  changes: Omit<OptionChanges, 'currency'>,
): Promise<Site> {
  try {
    return await announced(services, await write(services.db, site, changes))
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
    return write(transaction, site, { currency })
  })
  return announced(services, changed)
}

/** Pins the site, or unpins it when it is pinned. */
export async function togglePin(services: Parts, site: SiteRecord): Promise<Site> {
  const [changed] = await flipPin(services.db, { siteNo: site.siteNo })
  return announced(services, changed)
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

async function write(
  db: Queryable,
  { siteNo }: SiteRecord,
  changes: OptionChanges,
): Promise<SiteRecord | undefined> {
  const [changed] = await writeSite(db, { siteNo, ...optionParameters(changes) })
  return changed
}

async function announced(services: Parts, changed: SiteRecord | undefined): Promise<Site> {
  if (!changed) throw new AppError('not_found', 'No such site')
  await announceSiteChange(services, changed.trackingKey)
  return presentSite(changed, services.config.baseUrl)
}
