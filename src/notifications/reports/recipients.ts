import { validate as isUuid } from 'uuid'
import type { Audit, AuditAction } from '../../audit/audit.ts'
import type { Db, Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { AppError, invalidField } from '../../errors.ts'
import type { Services } from '../../services.ts'
import { lockSite } from '../../sites/lock-site.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import { hasActivePlan } from '../../teams/accounts.ts'
import { lockTeam } from '../../teams/lock-team.ts'
import type { Caller } from '../../teams/schema.ts'
import { askAddress } from './deliveries/rows.ts'
import { ASK_AGAIN_MS, MOST_OF_SITE, requireMayAsk, requireRoom } from './limits.ts'
import { FREQUENCIES, type Frequency } from './periods.ts'
import { presentRecipient, sinceOf } from './present.ts'
import {
  insertRecipient,
  lockAddress,
  lockRecipient,
  type RecipientFields,
  type RecipientRow,
  removeRecipient,
  selectRecipients,
  updateRecipient,
} from './recipient-rows.ts'
import type { AddRecipient, ChangeRecipient, Recipient, ReportSettings } from './schema.ts'

type Parts = Pick<Services, 'db' | 'config' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'teamId' | 'domain'>

export const NO_MAIL = 'This service sends no mail: its operator has not set SMTP_URL'

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

/** A user of the team with the address, who reaches the site; `isProven`: they have proved that it is theirs. */
const findUser = query<
  { teamId: string; siteId: string; address: string },
  { id: string; isProven: boolean }
>(
  'find-user-for-reports',
  `select
    users.id,
    coalesce(logins.email = users.email and logins.email_proven_at is not null and logins.disabled_at is null, false) as "isProven"
  from users left join logins on logins.id = users.login_id
  where
    users.team_id = :teamId
    and users.email = :address
    and (users.site_ids is null or :siteId::uuid = any(users.site_ids))`,
)

/**
 * Adds a recipient. An address that no user of the site has proved to be theirs is asked first, by one mail.
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
    const [before] = (await lockAddress(transaction, { siteNo: site.siteNo, address })) as RecipientRow[]
    if (before && !before.removedAt && !before.unsubscribedAt) {
      throw invalidField('address', 'is a recipient of this site already')
    }
    if (!before || before.removedAt) await requireRoom(transaction, site)
    const [user] = await findUser(transaction, { teamId: site.teamId, siteId: site.id, address })
    const hasAgreed = agreed(before, user)
    const isAskedNow = !hasAgreed && !wasAsked(before, at)
    if (isAskedNow) await requireMayAsk(transaction, site, address, at)
    const [made] = await insertRecipient(transaction, {
      ...chosen,
      ...sinceOf(frequencies, at),
      siteNo: site.siteNo,
      address,
      userId: user?.id ?? null,
      skipsEmpty,
      askedAt: isAskedNow ? at : (before?.askedAt ?? null),
      confirmedAt: hasAgreed ? (before?.confirmedAt ?? at) : null,
      createdBy: userId,
      now: at,
    })
    if (isAskedNow) await askAddress(transaction, made!.id, at)
    await record(audit, transaction, site, 'report.add', { id: made!.id, address, frequencies })
    return made!.id
  })
  return listed(db, site, id)
}

/** Who has unsubscribed has to agree again. */
function agreed(
  before: RecipientRow | undefined,
  user: { id: string; isProven: boolean } | undefined,
): boolean {
  if (before?.unsubscribedAt) return false
  if (user?.isProven) return true
  return before != null && before.confirmedAt !== null && before.userId === (user?.id ?? null)
}

const wasAsked = (before: RecipientRow | undefined, now: Date): boolean =>
  before?.askedAt != null && now.getTime() - before.askedAt.getTime() < ASK_AGAIN_MS

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

/** @throws AppError `not_found` */
export async function dropRecipient({ db, audit, now }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    const gone = await lock(transaction, site, id)
    await removeRecipient(transaction, { id, now: now() })
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
