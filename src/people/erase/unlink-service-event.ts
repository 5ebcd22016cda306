import { query } from '../../db/query.ts'

/** An event that the service wrote stays, without its visitor and with empty dimensions. No count of the event log changes. */
export const unlinkServiceEvent = query<{ siteNo: number; at: Date; id: string }>(
  'unlink-service-event',
  `update events
  set visitor_no = null, session_no = null, session_at = null, {cleared_assignments}
  where site_no = :siteNo::int and at = :at::timestamptz and id = :id::uuid and is_service`,
)
