import { serviceEventId } from '../../../../money/ledger/service-events.ts'
import type { Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import type { LifecycleName } from '../../../../storage/events/reserved-names.ts'

interface Subject {
  at: Date
  /** Null for a payment, which may have events of several names. */
  name: LifecycleName | null
  key: string
}

/** What events of these times may be of: payments and lifecycle events, which are restored before the events. */
const selectSubjects = query<{ siteNo: number; ats: Date[] }, Subject>(
  'select-subjects-of-events',
  `select paid_at as at, null as name, id::text as key
  from payments
  where site_no = :siteNo::int and paid_at = any(:ats::timestamptz[])
  union all
  select at, name, subscription_id || '/' || key
  from lifecycle_events
  where site_no = :siteNo::int and at = any(:ats::timestamptz[])`,
)

const PAYMENT_NAMES = ['payment', 'free_trial'] as const

/**
 * Returns the ids that service events have in the restored site, by those in the archive. Ids are derived from the number of the site:
 * under its old id an event would not be found when its payment is deleted or its subscription is derived again.
 * @param oldSiteNo number of the site where the archive was written
 */
export async function serviceEventIds(
  tx: Transaction,
  { siteNo, oldSiteNo }: { siteNo: number; oldSiteNo: number },
  ats: Date[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const { at, name, key } of await selectSubjects(tx, { siteNo, ats })) {
    for (const each of name === null ? PAYMENT_NAMES : [name]) {
      const event = { name: each, at, key }
      ids.set(serviceEventId(oldSiteNo, event), serviceEventId(siteNo, event))
    }
  }
  return ids
}
