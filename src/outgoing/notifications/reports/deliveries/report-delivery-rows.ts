import type { Queryable, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { DAY_MS } from '../../../../platform/lib/time.ts'
import { formatDay, localDay } from '../../../../platform/time/local-time.ts'

// A row of report_deliveries for each mail: waiting → claimed → handing_over → sent. Each step is one statement, so that a process may
// die between any two, and of two schedulers one gets the mail.

/** In place of one of the same day that has ended: it may have been answered since. */
const insertQuestion = query<{ recipientId: string; day: string; now: Date }>(
  'ask-report-address',
  `insert into report_deliveries (recipient_id, kind, first_day, last_day, state, due_at, planned_at, next_at, changed_at)
  values (:recipientId, 'confirmation', (:day::text)::date, (:day::text)::date, 'waiting', :now, :now, :now, :now)
  on conflict (recipient_id, kind, first_day) do update
  set
    state = 'waiting', due_at = excluded.due_at, planned_at = excluded.planned_at, next_at = excluded.next_at,
    changed_at = excluded.changed_at, problem = null, response = null
  where report_deliveries.state not in ('waiting', 'claimed', 'handing_over')`,
)

/** Makes the job ask the owner of an address whether they want reports. */
export async function askAddress(transaction: Transaction, recipientId: string, now: Date): Promise<void> {
  await insertQuestion(transaction, { recipientId, day: formatDay(localDay('UTC', now.getTime())), now })
}

/** Time zones and hours for which reports are sent. */
export const selectClocks = query<void, { timezone: string; hour: number }>(
  'list-report-clocks',
  `select distinct sites.timezone, mail_recipients.hour
  from mail_recipients join sites on sites.site_no = mail_recipients.site_no
  where sites.deleted_at is null and mail_recipients.confirmed_at is not null and mail_recipients.removed_at is null`,
)

/** One element for each period that is due at a clock. */
export interface DueAtClocks {
  zones: string[]
  hours: number[]
  kinds: string[]
  firstDays: string[]
  lastDays: string[]
  dueAts: Date[]
}

/** Makes a row for each report that is due and has none yet. */
export const insertDue = query<DueAtClocks & { now: Date }>('plan-report-deliveries')

/** A mail with what is needed to send it. */
export interface Delivery {
  /** Of the recipient. */
  id: string
  siteNo: number
  address: string
  language: string
  sections: string[]
  skipsEmpty: boolean
  kind: string
  from: string
  to: string
  /** Names the claim: another process that takes the mail over counts one more. */
  attempts: number
  plannedAt: Date
}

/**
 * Claims the mail that has waited longest, also one whose claim has ended: its process has died before the hand-over.
 * Returns no row when there is nothing to do.
 */
export const claimDelivery = query<{ now: Date; until: Date; tooFar: Date }, Delivery>(
  'claim-report-delivery',
)

/** A process has died while it handed a mail over: whether the mail server has it is unknown. */
export const giveUpUncertain = query<{ now: Date; tooFar: Date }>(
  'give-up-uncertain-reports',
  `update report_deliveries
  set state = 'uncertain', problem = 'uncertain', response = '', changed_at = :now
  where state = 'handing_over' and (next_at <= :now::timestamptz or next_at > :tooFar::timestamptz)`,
)

/** What was not sent in this time is given up, also while the service sends no mail. */
export const GIVE_UP_MS = DAY_MS

/** Also what nothing tries any more, because the service has no mail server: nothing is queued for ever. */
export const giveUpOld = query<{ now: Date; plannedBefore: Date }>(
  'give-up-old-reports',
  `update report_deliveries
  set state = 'given_up', changed_at = :now
  where state in ('waiting', 'claimed') and next_at <= :now::timestamptz and planned_at <= :plannedBefore::timestamptz`,
)

interface Claim {
  recipientId: string
  kind: string
  from: string
  attempts: number
}

/**
 * Begins the hand-over. Returns no row when another process has taken the mail over, or when it must not be sent any more: the recipient
 * has unsubscribed, was removed or does not reach the site, the site was deleted, or the plan of the team has ended.
 */
export const beginHandOver = query<Claim & { now: Date; until: Date }, { attempts: number }>(
  'begin-report-hand-over',
)

/** What becomes of a mail after an attempt. */
export interface Outcome {
  state: 'waiting' | 'sent' | 'skipped' | 'given_up' | 'uncertain'
  nextAt: Date
  problem: string | null
  response: string | null
}

const finish = query<Claim & Omit<Outcome, 'state'> & { state: string; now: Date }>(
  'finish-report-delivery',
  `update report_deliveries
  set state = :state, next_at = :nextAt, problem = :problem, response = :response, changed_at = :now
  where
    recipient_id = :recipientId
    and kind = :kind
    and first_day = (:from::text)::date
    and attempts = :attempts
    and state in ('claimed', 'handing_over')`,
)

export const claimOf = ({ id, kind, from, attempts }: Delivery): Claim => ({
  recipientId: id,
  kind,
  from,
  attempts,
})

/** Nothing happens when another process has taken the mail over. */
export async function finishDelivery(
  db: Queryable,
  delivery: Delivery,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  await finish(db, { ...claimOf(delivery), ...outcome, now })
}
