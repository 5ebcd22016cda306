import type { Queryable } from '../../db/connect.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Services } from '../../services.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { afterReach, beforeReach, type Fragment } from './bounds.ts'
import { hasHitFilters } from './conditions.ts'

/** In longer ranges, a day on each side is a small part. */
const SHORT_MS = 3 * DAY_MS

/**
 * Returns a read whose statements find out how far the hits of its sessions lie around the range, if the range is short: they read less
 * than a day on each side then, in a range of a day a third of the rows. With filters on hits, they read no more than the range anyway;
 * and slices of sessions would each find it out.
 */
export const withReach = ({ slices }: Pick<Services, 'slices'>, resolved: ResolvedQuery): ResolvedQuery => {
  const isShort = resolved.end.getTime() - resolved.start.getTime() <= SHORT_MS
  return isShort && !slices && !hasHitFilters(resolved) ? { ...resolved, findsReach: true } : resolved
}

/**
 * The time span in which the hits of the range and those of the sessions that started in it lie, as the table `reach`. Only sessions near
 * the bounds have hits beyond them. In the statement itself: of a session, all hits count or none.
 */
export function reach(db: Queryable, { siteNo, start, end }: ResolvedQuery): Fragment {
  const nearStart = new Date(Math.min(end.getTime(), afterReach(start).getTime()))
  const nearEnd = new Date(Math.max(start.getTime(), beforeReach(end).getTime()))
  return db`
  reach as materialized (
    select
      least(${start}::timestamptz, (
        select min(first_at) from sessions
        where site_no = ${siteNo}::int and started_at >= ${start} and started_at < ${nearStart}
      )) as starts_at,
      greatest(${end}::timestamptz, (
        select max(last_at) + interval '1 millisecond' from sessions
        where site_no = ${siteNo}::int and started_at >= ${nearEnd} and started_at < ${end}
      )) as ends_at
  ),`
}
