import { PAYMENT_COLUMNS, type PaymentRecord } from '../../../money/ledger/payment.ts'
import { query } from '../../../platform/db/query.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import type { Row } from './present.ts'
import type { AfterPlace, Person } from './read-visits.ts'

/** Sessions of a user to which payments are attributed. */
export const selectPaidSessions = query<{ siteNo: number; identifier: string }, { sessionNo: number }>(
  'select-paid-sessions-of-user',
  `select distinct revenue.session_no as "sessionNo"
  from revenue
  cross join lateral (
    select from sessions
    where sessions.site_no = :siteNo::int and sessions.started_at = revenue.session_at
      and sessions.session_no = revenue.session_no and sessions.user_id = nullif(:identifier::text, '')
  ) as session
  where revenue.site_no = :siteNo::int and revenue.session_no is not null`,
)

/** Payments of customers, the oldest first, after a place. */
export const selectPayments = query<
  AfterPlace & { siteNo: number; customers: string[]; until: Date },
  PaymentRecord
>(
  'export-payments',
  `select ${PAYMENT_COLUMNS}
  from payments
  where site_no = :siteNo::int and customer = any(:customers::text[]) and paid_at <= :until::timestamptz
    and (paid_at, id) > (:afterAt::timestamptz, :afterKey::uuid)
  order by paid_at, id
  limit :limit::int`,
)

/** Events that the service wrote for the visitor, or in a session of the user. */
export const selectServiceEvents = query<Person & TimeSpan & AfterPlace, Row<'service_events'>>(
  'export-service-events',
)
