import { validate as isUuid } from 'uuid'
import type { Audit, AuditAction } from '../../../access/audit/audit.ts'
import { lockSite } from '../../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import { hasActivePlan } from '../../../access/teams/accounts.ts'
import type { Caller } from '../../../access/teams/caller.ts'
import { lockTeam } from '../../../access/teams/lock-team.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { AppError, invalidField } from '../../../platform/errors.ts'
import type { Services } from '../../../platform/services.ts'
import { admit, NO_MAIL } from '../recipients/admit.ts'
import { MOST_OF_SITE } from '../recipients/recipient-limits.ts'
import {
  endReports,
  lockAddress,
  lockRecipient,
  type RecipientFields,
  type RecipientRow,
  removeUnused,
  selectRecipients,
  updateRecipient,
} from '../recipients/recipient-rows.ts'
import { FREQUENCIES, type Frequency } from './periods.ts'
import { presentRecipient, sinceOf } from './present-recipient.ts'
import type { AddRecipient, ChangeRecipient, Recipient, ReportSettings } from './report-schema.ts'

type Parts = Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'teamId' | 'domain'>

/** Returns who gets reports of a site, and whether the service sends any. */
export async function listRecipients(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  { siteNo }: Pick<Site, 'siteNo'>,
  team: Pick<Caller, 'plan' | 'trialEndsAt'>,
): Promise<ReportSettings> {
  const rows = await selectRecipients(db, { siteNo })
  return {
    sends_mail: config.mail !== undefined,
    is_paused: !hasActivePlan(team, now()),
    most_recipients: MOST_OF_SITE,
    recipients: rows.map(presentRecipient),
  }
}

/**
 * Sends reports to an address, once it agrees (`admit`).
 * @throws AppError `forbidden` without mail, or when site or team have the most recipients; `validation_failed` for an address that is a
 * recipient already; `rate_limited` when too many addresses were asked; `not_found` when the site was deleted meanwhile
 */
export async function addRecipient(
  services: Parts,
  { userId }: Pick<Caller, 'userId'>,
  site: Site,
  { address, frequencies, skips_empty: skipsEmpty, ...chosen }: AddRecipient,
): Promise<Recipient> {
  const { db, config, now, audit } = services
  if (!config.mail) throw new AppError('forbidden', NO_MAIL)
  const at = now()
  const id = await db.begin(async transaction => {
    await lockTeam(transaction, site.teamId)
    await lockSite(transaction, site)
    const before = await lockAddress(transaction, { siteNo: site.siteNo, address })
    if (before && !before.removedAt && !before.unsubscribedAt && frequenciesOf(before).length > 0) {
      throw invalidField('address', 'is a recipient of this site already')
    }
    const fields = { ...chosen, ...sinceOf(frequencies, at), skipsEmpty }
    const id = await admit(transaction, site, before, { ...fields, address, createdBy: userId, now: at })
    await record(audit, transaction, site, 'report.add', { id, address, frequencies })
    return id
  })
  return listed(db, site, id)
}

/** @throws AppError `not_found` */
export async function changeRecipient(
  services: Parts,
  site: Site,
  id: string,
  changes: ChangeRecipient,
): Promise<Recipient> {
  const { db, audit, now } = services
  await db.begin(async transaction => {
    const before = await lock(transaction, site, id)
    const frequencies = changes.frequencies ?? frequenciesOf(before)
    const fields: RecipientFields = {
      language: changes.language ?? before.language,
      hour: changes.hour ?? before.hour,
      sections: changes.sections ?? before.sections,
      skipsEmpty: changes.skips_empty ?? before.skipsEmpty,
      // What was wanted before stays wanted since then: a report that is due now must not get lost.
      ...sinceOf(frequencies, now(), before),
    }
    await updateRecipient(transaction, { ...fields, id })
    await record(audit, transaction, site, 'report.change', { id, address: before.address, frequencies })
  })
  return listed(db, site, id)
}

/** Alerts still go to the address. @throws AppError `not_found` */
export async function dropRecipient({ db, audit, now }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    const gone = await lock(transaction, site, id)
    await endReports(transaction, { id })
    await removeUnused(transaction, { siteNo: site.siteNo, addresses: [gone.address], now: now() })
    await record(audit, transaction, site, 'report.remove', { ...gone, frequencies: frequenciesOf(gone) })
  })
}

const frequenciesOf = (row: RecipientFields): Frequency[] =>
  FREQUENCIES.filter(frequency => row[`${frequency}Since`] !== null)

async function listed(db: Db, { siteNo }: Site, id: string): Promise<Recipient> {
  const row = (await selectRecipients(db, { siteNo })).find(each => each.id === id)
  if (!row) throw noSuchRecipient()
  return presentRecipient(row)
}

async function lock(transaction: Transaction, { siteNo }: Site, id: string): Promise<RecipientRow> {
  const [row] = isUuid(id) ? await lockRecipient(transaction, { siteNo, id }) : []
  if (!row) throw noSuchRecipient()
  return row as RecipientRow
}

export const noSuchRecipient = () => new AppError('not_found', 'No such recipient')

const record = (
  audit: Audit,
  transaction: Transaction,
  { domain }: Site,
  action: AuditAction,
  { id, address, frequencies }: { id: string; address: string; frequencies: Frequency[] },
) => audit(transaction, { action, object: { type: 'report', id }, details: { address, domain, frequencies } })
