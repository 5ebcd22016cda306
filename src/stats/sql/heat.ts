import type { Queryable } from '../../db/connect.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { aroundRange, eventsOf, type Fragment, inRange, startedInRange, visibleHit } from './bounds.ts'
import {
  conditionsOnHit,
  conditionsOnPage,
  conditionsOnSession,
  conditionsOnStartedSession,
  hasHitFilters,
  hasOnlyPageFilters,
  inMatchingSession,
} from './conditions.ts'

/** What `clicks` and `page_reads` read. */
export interface HeatOptions {
  /** Autocaptured types. */
  types?: readonly string[]
  /** Exactly this path. */
  path?: string
}

/** Autocaptured hits of `types` in the range that match all filters. `selector` and `target` are empty where a hit has none. */
export const clicks = (
  db: Queryable,
  resolved: ResolvedQuery,
  { types = [] }: HeatOptions = {},
): Fragment => db`
  select
    type,
    coalesce(props ->> 'selector', '') as selector,
    coalesce(props ->> 'url', '') as target,
    visitor_no,
    session_no
  from ${eventsOf(db, resolved)}
  where ${inRange(db, resolved)} and events.type = any(${types as string[]}::text[])
    and ${conditionsOnHit(db, resolved)} and ${conditionsOnSession(db, resolved)}`

/**
 * Sessions that match all filters and have, in the range, a pageview or event whose page matches the filters on pages; each once.
 * Without filters on hits, every session that started in the range is one, by its opening hit: few hits are left to look at, and
 * 30 days of 10 million hits take a fifth of the time.
 */
export function seenSessions(db: Queryable, resolved: ResolvedQuery): Fragment {
  const hits = db`
    select session_no
    from ${eventsOf(db, resolved)}
    where ${visibleHit(db, resolved)} and not is_service
      and ${conditionsOnPage(db, resolved)} and ${conditionsOnSession(db, resolved)}`
  if (!hasHitFilters(resolved)) {
    return db`
      select session_no from sessions where ${conditionsOnStartedSession(db, resolved)}
      union all
      (${hits} and not ${startedInRange(db, resolved)} group by session_no)`
  }
  return db`
    ${hits} ${hasOnlyPageFilters(resolved) ? db`` : inMatchingSession(db, resolved, db`session_no`)}
    group by session_no`
}

/**
 * Pageviews of a path in the range, in sessions that match the filters on sessions, and their engagement. `moment` is the time of
 * the pageview, `matches` says whether it matches the filters on hits; engagement does not match. `id_and_match` is the id of a pageview
 * with that answer after it; null without filters on hits.
 */
export const pageReads = (
  db: Queryable,
  resolved: ResolvedQuery,
  { path = '' }: HeatOptions = {},
): Fragment => db`
  select
    session_no,
    coalesce(page_at, at) as moment,
    scroll,
    engaged_ms,
    type = 'pageview' and ${conditionsOnHit(db, resolved)} as matches,
    ${
      hasHitFilters(resolved)
        ? db`case when type = 'pageview' then id::text || (${conditionsOnHit(db, resolved)})::text end collate "C"`
        : db`null::text`
    } as id_and_match
  from ${eventsOf(db, resolved)}
  where ${aroundRange(db, resolved)} and events.type in ('pageview', 'engagement') and events.path = ${path}
    and coalesce(page_at, at) >= ${resolved.start} and coalesce(page_at, at) < ${resolved.end}
    and ${conditionsOnSession(db, resolved)}`
