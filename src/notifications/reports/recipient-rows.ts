import { query } from '../../db/query.ts'
import type { Language, ReportSection } from './schema.ts'

/** What a manager chooses for a recipient. */
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
  `select {report_recipient_columns}
  from report_recipients
  where site_no = :siteNo and id = :id and removed_at is null
  for update`,
)

/** Also one that was removed. */
export const lockAddress = query<{ siteNo: number; address: string }, Stored>(
  'lock-report-address',
  `select {report_recipient_columns} from report_recipients where site_no = :siteNo and address = :address for update`,
)

export const findRecipient = query<{ id: string }, Stored & { domain: string; teamId: string }>(
  'find-report-recipient',
  `select {report_recipient_columns}, sites.domain, sites.team_id as "teamId"
  from report_recipients join sites on sites.site_no = report_recipients.site_no
  where report_recipients.id = :id and sites.deleted_at is null`,
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
  `insert into report_recipients
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
  `update report_recipients
  set
    language = :language, hour = :hour, daily_since = :dailySince, weekly_since = :weeklySince, monthly_since = :monthlySince,
    sections = :sections, skips_empty = :skipsEmpty
  where id = :id`,
)

export const removeRecipient = query<{ id: string; now: Date }>(
  'remove-report-recipient',
  'update report_recipients set removed_at = :now where id = :id',
)
