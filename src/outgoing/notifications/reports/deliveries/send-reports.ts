import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { HOUR_MS, MINUTE_MS } from '../../../../platform/lib/time.ts'
import { limitTime } from '../../../../platform/lib/time-budget.ts'
import { ASK_AGAIN_MS } from '../../recipients/recipient-limits.ts'
import { duePeriods } from '../periods.ts'
import { createNumbers, type DeliverServices, deliver } from './deliver.ts'
import {
  claimDelivery,
  type DueAtClocks,
  GIVE_UP_MS,
  giveUpOld,
  giveUpUncertain,
  insertDue,
  selectClocks,
} from './report-delivery-rows.ts'

/** Time limit of one run: other jobs wait meanwhile. */
const BUDGET_MS = 5_000
/** Longer than reading and handing over can take together. */
const CLAIM_MS = 2 * MINUTE_MS
/** Longer than any pause between attempts: a later time was written by a clock that was wrong. */
const TOO_FAR_MS = 3 * HOUR_MS

/**
 * Sends what is due. It is safe to stop at any point, and to run in two processes at once.
 * @returns true when more work may remain
 */
export async function sendReports(services: DeliverServices, now: Date): Promise<boolean> {
  const { db, config } = services
  const tooFar = new Date(now.getTime() + TOO_FAR_MS)
  await giveUpUncertain(db, { now, tooFar })
  await giveUpOld(db, { now, plannedBefore: new Date(now.getTime() - GIVE_UP_MS) })
  if (!config.mail) return false
  await planReports(db, now)
  const hasTime = limitTime(BUDGET_MS)
  const numbers = createNumbers(services)
  const until = new Date(now.getTime() + CLAIM_MS)
  while (hasTime()) {
    const [delivery] = await claimDelivery(db, { now, until, tooFar })
    if (!delivery) return false
    const { isServerAway } = await deliver(services, delivery, numbers, now)
    // All others would wait for the same server.
    if (isServerAway) return false
  }
  return true
}

/** Makes a row for each report that is due. What was due while the service did not run is sent late, the newest period of each kind. */
async function planReports(db: Db, now: Date): Promise<void> {
  const due: DueAtClocks = { zones: [], hours: [], kinds: [], firstDays: [], lastDays: [], dueAts: [] }
  for (const { timezone, hour } of await selectClocks(db)) {
    for (const { frequency, from, to, dueAt } of duePeriods(timezone, hour, now)) {
      due.zones.push(timezone)
      due.hours.push(hour)
      due.kinds.push(frequency)
      due.firstDays.push(from)
      due.lastDays.push(to)
      due.dueAts.push(dueAt)
    }
  }
  if (due.zones.length > 0) await insertDue(db, { ...due, now })
}

/** Removed recipients, and addresses that have not answered. What is not removed, and has unsubscribed, stays for managers to see. */
const deleteOldRecipients = query<{ before: Date }>(
  'forget-report-recipients',
  `delete from mail_recipients
  where
    removed_at < :before::timestamptz
    or (unsubscribed_at is null and confirmed_at is null and asked_at < :before::timestamptz)`,
)

const deleteOldDeliveries = query<{ before: Date }>(
  'forget-report-deliveries',
  `delete from report_deliveries
  where changed_at < :before::timestamptz and state not in ('waiting', 'claimed', 'handing_over')`,
)

/** Longer than a month: the newest row of each kind says that its report was sent. */
const KEPT_MS = 100 * 24 * HOUR_MS

/** Deletes what is not needed any more. */
export async function forgetReports(db: Db, now: Date): Promise<void> {
  await deleteOldRecipients(db, { before: new Date(now.getTime() - ASK_AGAIN_MS) })
  await deleteOldDeliveries(db, { before: new Date(now.getTime() - KEPT_MS) })
}
