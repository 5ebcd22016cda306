import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Queryable, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import { admit, NO_MAIL, wasAsked } from '../recipients/admit.ts'
import { lockAddress, type RecipientFields, type RecipientRow } from '../recipients/recipient-rows.ts'
import type { AddressState } from '../recipients/recipient-schema.ts'
import { stateOf } from '../recipients/state.ts'

interface Named {
  /** All addresses of the alert. */
  addresses: readonly string[]
  /** Those that it had before. */
  before: readonly string[]
  /** Of mails to those who are no recipients of the site yet. */
  language: Language
  createdBy: string
  now: Date
}

/**
 * Makes the addresses of an alert recipients of the site. Those that have not agreed are asked, unless they were asked lately; those
 * that have unsubscribed only when the alert did not have them before. Call it under the locks of team and site.
 * @throws AppError as `admit`; `forbidden` without mail
 */
export async function admitAddresses(
  transaction: Transaction,
  { mail }: Pick<Config, 'mail'>,
  site: Pick<SiteRecord, 'siteNo' | 'id' | 'teamId'>,
  { addresses, before, language, createdBy, now }: Named,
): Promise<void> {
  for (const address of addresses) {
    const found = await lockAddress(transaction, { siteNo: site.siteNo, address })
    if (found && !found.removedAt && !mayAsk(found, !before.includes(address), now)) continue
    if (!mail) throw new AppError('forbidden', NO_MAIL)
    const fields = found && !found.removedAt ? fieldsOf(found) : { ...ALERTS_ALONE, language }
    await admit(transaction, site, found, { ...fields, address, createdBy, now })
  }
}

function mayAsk(found: RecipientRow, isNew: boolean, now: Date): boolean {
  if (found.unsubscribedAt) return isNew
  return found.confirmedAt === null && !wasAsked(found, now)
}

const ALERTS_ALONE: Omit<RecipientFields, 'language'> = {
  ...{ dailySince: null, weeklySince: null, monthlySince: null },
  ...{ hour: 8, sections: [], skipsEmpty: false },
}

const fieldsOf = (row: RecipientRow): RecipientFields => ({
  language: row.language,
  hour: row.hour,
  dailySince: row.dailySince,
  weeklySince: row.weeklySince,
  monthlySince: row.monthlySince,
  sections: row.sections,
  skipsEmpty: row.skipsEmpty,
})

const selectStates = query<
  { siteNo: number; addresses: string[] },
  { address: string; unsubscribedAt: Date | null; confirmedAt: Date | null; reachesSite: boolean }
>(
  'list-states-of-addresses',
  `select
    address, unsubscribed_at as "unsubscribedAt", confirmed_at as "confirmedAt", {mail_recipient_reaches_site} as "reachesSite"
  from mail_recipients
  where site_no = :siteNo and address = any(:addresses::text[]) and removed_at is null`,
)

/** Returns the state of each address; `not_asked` also for one that has not answered for 30 days. */
export async function readStates(
  db: Queryable,
  siteNo: number,
  addresses: readonly string[],
): Promise<(address: string) => AddressState> {
  const rows =
    addresses.length > 0 ? await selectStates(db, { siteNo, addresses: [...new Set(addresses)] }) : []
  const states = new Map(rows.map(row => [row.address, stateOf(row)]))
  return address => states.get(address) ?? 'not_asked'
}
