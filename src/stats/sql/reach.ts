import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { afterReach, beforeReach } from './bounds.ts'
import { hasHitFilters } from './conditions.ts'

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

/** In longer ranges, a day on each side is a small part. */
const SHORT_MS = 3 * DAY_MS

/**
 * Returns the read with the time span in which the hits of its sessions lie, if the range is short. Statements then read less than a
 * day around it: with a range of a day, a third of the rows. With filters on hits, they read no more than the range anyway.
 */
export async function withReach(reads: Queryable, resolved: ResolvedQuery): Promise<ResolvedQuery> {
  const { siteNo, start, end } = resolved
  if (hasHitFilters(resolved) || end.getTime() - start.getTime() > SHORT_MS) return resolved
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
