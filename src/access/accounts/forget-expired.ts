import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { forgetOldEntries, mergeCounts } from '../audit/list-entries.ts'

interface Due {
  now: Date
  limit: number
}

const forgetSessions = query<Due, { id: string }>(
  'forget-expired-browser-sessions',
  `delete from browser_sessions
  where id in (select id from browser_sessions where expires_at <= :now limit :limit)
  returning id`,
)

const forgetLinks = query<Due, { purpose: string }>(
  'forget-expired-one-time-links',
  `delete from one_time_links
  where hash in (select hash from one_time_links where expires_at <= :now limit :limit)
  returning purpose`,
)

/** Expired invitations stay for a while, so that they can be sent again. */
const forgetInvitations = query<Due, { id: string }>(
  'forget-expired-invitations',
  `delete from invitations
  where id in (
    select id from invitations where expires_at <= :now::timestamptz - interval '30 days' limit :limit
  )
  returning id`,
)

/** New counts of audit entries that one call adds up. */
const MOST_COUNTS = 10_000

/** Rows of each kind that one call deletes at most: the embedded database runs nothing else meanwhile. */
const LIMIT = 1_000

/**
 * Deletes expired sessions and links, invitations that expired 30 days ago, and entries of the audit log that are older than a year.
 * Adds up the counts of audit entries.
 * @returns whether more may be left
 */
export async function forgetExpired(db: Queryable, now: Date, limit = LIMIT): Promise<boolean> {
  let isMore = false
  for (const forget of [forgetSessions, forgetLinks, forgetInvitations, forgetOldEntries]) {
    isMore = (await forget(db, { now, limit })).length === limit || isMore
  }
  await mergeCounts(db, { limit: MOST_COUNTS })
  return isMore
}
