import { AppError, invalidField } from '../errors.ts'
import { type Queryable, sqlState, statement } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import { announceSiteChange } from './changes.ts'
import { domainTaken } from './create-site.ts'
import { presentSite } from './present-site.ts'
import type {
  Site,
  SiteRecord,
  UpdateCurrency,
  UpdateDomain,
  UpdateFeatures,
  UpdateSharing,
  UpdateTimezone,
  UpdateTrackingMode,
} from './schema.ts'

const writeSite = statement<SiteRecord>('update-site')
const flipPin = statement<SiteRecord>('toggle-pin')
const lockCurrency = statement<{ currency: string }>('lock-site-currency')
const findObstacles = statement<{ hasRevenueGoals: boolean; hasForeignPayments: boolean }>(
  'find-currency-obstacles',
)

type Parts = Pick<Services, 'db' | 'redis' | 'config' | 'log'>
type Changes = Partial<
  UpdateDomain & UpdateTimezone & UpdateCurrency & UpdateTrackingMode & UpdateSharing & UpdateFeatures
>

const UNIQUE_VIOLATION = '23505'

/**
 * Changes settings that other data does not restrict: all except the currency.
 * @throws AppError `validation_failed` when another site of the team has the domain, also under concurrent requests;
 * `not_found` when the site was deleted meanwhile
 */
export async function updateSite(
  services: Parts,
  site: SiteRecord,
  changes: Omit<Changes, 'currency'>,
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
 * @see spec.md "PATCH /api/sites/{siteKey}/currency"
 */
export async function updateCurrency(
  services: Parts,
  site: SiteRecord,
  { currency }: UpdateCurrency,
): Promise<Site> {
  const changed = await services.db.begin(async transaction => {
    const [present] = await lockCurrency(transaction, site.siteNo)
    if (present?.currency !== currency) await requireFreeOfMoney(transaction, site.siteNo, currency)
    return write(transaction, site, { currency })
  })
  return announced(services, changed)
}

/** Pins the site, or unpins it when it is pinned. */
export async function togglePin(services: Parts, site: SiteRecord): Promise<Site> {
  const [changed] = await flipPin(services.db, site.siteNo)
  return announced(services, changed)
}

async function requireFreeOfMoney(db: Queryable, siteNo: number, currency: string): Promise<void> {
  const [found] = await findObstacles(db, siteNo, currency)
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

async function write(db: Queryable, site: SiteRecord, changes: Changes): Promise<SiteRecord | undefined> {
  const [changed] = await writeSite(
    db,
    site.siteNo,
    changes.domain ?? null,
    changes.timezone ?? null,
    changes.currency ?? null,
    changes.tracking_mode ?? null,
    changes.is_public ?? null,
    changes.track_errors ?? null,
    changes.track_web_vitals ?? null,
    changes.track_session_replay ?? null,
  )
  return changed
}

async function announced(services: Parts, changed: SiteRecord | undefined): Promise<Site> {
  if (!changed) throw new AppError('not_found', 'No such site')
  await announceSiteChange(services, changed.trackingKey)
  return presentSite(changed, services.config.baseUrl)
}
