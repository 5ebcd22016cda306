import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { afterReach, beforeReach } from './bounds.ts'

// Of sessions near the bounds, since no other one has hits beyond them. Hits lie at whole milliseconds.
const findReach = query<
  { siteNo: number; start: Date; end: Date; nearStart: Date; nearEnd: Date },
  { from: number | null; until: number | null }
>(
  'find-reach-of-sessions',
  `
  select
    (
      select (extract(epoch from min(first_at)) * 1000)::bigint
      from sessions
      where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :nearStart::timestamptz
    ) as "from",
    (
      select (extract(epoch from max(last_at)) * 1000)::bigint
      from sessions
      where site_no = :siteNo::int and started_at >= :nearEnd::timestamptz and started_at < :end::timestamptz
    ) as until`,
)

/**
 * Returns the read with the time span in which the hits of its sessions lie. Statements then read less than a day around the range: with
 * a range of a day, a third of the rows.
 */
export async function withReach(reads: Queryable, resolved: ResolvedQuery): Promise<ResolvedQuery> {
  const { siteNo, start, end } = resolved
  const nearStart = new Date(Math.min(end.getTime(), afterReach(start).getTime()))
  const nearEnd = new Date(Math.max(start.getTime(), beforeReach(end).getTime()))
  const [found] = await findReach(reads, { siteNo, start, end, nearStart, nearEnd })
  const { from, until } = found!
  return {
    ...resolved,
    reach: {
      start: new Date(Math.min(start.getTime(), from ?? Number.POSITIVE_INFINITY)),
      end: new Date(Math.max(end.getTime(), (until ?? Number.NEGATIVE_INFINITY) + 1)),
    },
  }
}
