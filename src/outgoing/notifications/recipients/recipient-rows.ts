import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { Language } from '../../../platform/mail/languages.ts'
import type { ReportSection } from '../reports/report-schema.ts'

/** What a manager chooses for a recipient. Without any report, it gets alerts alone. */
export interface RecipientFields {
  language: Language
  hour: number
  /** Since when each report is wanted; null: not. */
  dailySince: Date | null
  weeklySince: Date | null
  monthlySince: Date | null
  sections: ReportSection[]
  skipsEmpty: boolean
}

/** Database row of a recipient. */
export interface RecipientRow extends RecipientFields {
  id: string
  siteNo: number
  address: string
  userId: string | null
  askedAt: Date | null
  confirmedAt: Date | null
  unsubscribedAt: Date | null
  removedAt: Date | null
  createdAt: Date
  createdBy: string | null
}

/** A type that the compiler of statements can compare: a union is a text there. */
type Stored = Omit<RecipientRow, 'language' | 'sections'> & { language: string; sections: string[] }

export interface ListedRecipient extends Stored {
  reachesSite: boolean
  sentKind: string | null
  sentFrom: string | null
  sentTo: string | null
  sentAt: Date | null
  failedKind: string | null
  failedFrom: string | null
  failedTo: string | null
  problem: string | null
  response: string | null
  attempts: number | null
  nextAt: Date | null
}

export const selectRecipients = query<{ siteNo: number }, ListedRecipient>('list-report-recipients')

export const lockRecipient = query<{ siteNo: number; id: string }, Stored>(
  'lock-report-recipient',
  `select {mail_recipient_columns}
  from mail_recipients
  where site_no = :siteNo and id = :id and removed_at is null and {mail_recipient_gets_reports}
  for update`,
)

const lockByAddress = query<{ siteNo: number; address: string }, Stored>(
  'lock-report-address',
  `select {mail_recipient_columns} from mail_recipients where site_no = :siteNo and address = :address for update`,
)

/** Returns and locks the row of an address, also one that was removed. */
export async function lockAddress(
  transaction: Transaction,
  key: { siteNo: number; address: string },
): Promise<RecipientRow | undefined> {
  const [row] = await lockByAddress(transaction, key)
  return row as RecipientRow | undefined
}

export const findRecipient = query<
  { id: string },
  Stored & { domain: string; teamId: string; isSiteDeleted: boolean }
>(
  'find-report-recipient',
  `select {mail_recipient_columns}, sites.domain, sites.team_id as "teamId", sites.deleted_at is not null as "isSiteDeleted"
  from mail_recipients join sites on sites.site_no = mail_recipients.site_no
  where mail_recipients.id = :id`,
)

/** In place of a row of the same address that was removed: its id stays, so that links in older mails keep working. */
export const insertRecipient = query<
  RecipientFields & {
    siteNo: number
    address: string
    userId: string | null
    askedAt: Date | null
    confirmedAt: Date | null
    createdBy: string
    now: Date
  },
  { id: string }
>(
  'add-report-recipient',
  `insert into mail_recipients
    (site_no, address, user_id, language, hour, daily_since, weekly_since, monthly_since, sections, skips_empty, asked_at,
    confirmed_at, created_by, created_at)
  values (
    :siteNo, :address, :userId, :language, :hour, :dailySince, :weeklySince, :monthlySince, :sections, :skipsEmpty, :askedAt,
    :confirmedAt, :createdBy, :now
  )
  on conflict (site_no, address) do update set
    user_id = excluded.user_id, language = excluded.language, hour = excluded.hour, daily_since = excluded.daily_since,
    weekly_since = excluded.weekly_since, monthly_since = excluded.monthly_since, sections = excluded.sections,
    skips_empty = excluded.skips_empty, asked_at = excluded.asked_at, confirmed_at = excluded.confirmed_at,
    unsubscribed_at = null, removed_at = null, created_by = excluded.created_by, created_at = excluded.created_at
  returning id`,
)

export const updateRecipient = query<RecipientFields & { id: string }>(
  'change-report-recipient',
  `update mail_recipients
  set
    language = :language, hour = :hour, daily_since = :dailySince, weekly_since = :weeklySince, monthly_since = :monthlySince,
    sections = :sections, skips_empty = :skipsEmpty
  where id = :id`,
)

/** Ends the reports to an address. */
export const endReports = query<{ id: string }>(
  'end-reports-of-recipient',
  'update mail_recipients set daily_since = null, weekly_since = null, monthly_since = null where id = :id',
)

/** Removes those of some addresses that neither reports nor an alert of the site go to any more. */
export const removeUnused = query<{ siteNo: number; addresses: string[]; now: Date }>(
  'remove-unused-recipients',
  `update mail_recipients
  set removed_at = :now
  where
    site_no = :siteNo
    and address = any(:addresses::text[])
    and removed_at is null
    and not ({mail_recipient_gets_reports})
    and not exists (
      select from alert_rules where alert_rules.site_no = :siteNo and mail_recipients.address = any(emails)
    )`,
)
