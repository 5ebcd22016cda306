import { query } from '../../platform/db/query.ts'

/** Lower bound of all hit times. */
export const EARLIEST = new Date('0001-01-01T00:00:00Z')

/** Returns the time of the first hit or session of a site from `from` on; null when there is none. */
export const findNextRow = query<{ siteNo: number; from: Date }, { at: Date | null }>(
  'find-next-row',
  `select least(
    (select min(at) from events where site_no = :siteNo::int and at >= :from::timestamptz),
    (select min(started_at) from sessions where site_no = :siteNo::int and started_at >= :from::timestamptz)
  ) as at`,
)
