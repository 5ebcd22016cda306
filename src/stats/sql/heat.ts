import type { Queryable } from '../../db/connect.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { aroundRange, eventsOf, type Fragment, inRange, visibleHit } from './bounds.ts'
import {
  conditionsOnHit,
  conditionsOnPage,
  conditionsOnSession,
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

/** Pageviews and events in the range whose page matches the filters on pages, in sessions that match all filters. */
export const seenHits = (db: Queryable, resolved: ResolvedQuery): Fragment => db`
  select session_no
  from ${eventsOf(db, resolved)}
  where ${visibleHit(db, resolved)} and not is_service
    and ${conditionsOnPage(db, resolved)} and ${conditionsOnSession(db, resolved)}
    ${hasOnlyPageFilters(resolved) ? db`` : inMatchingSession(db, resolved, db`session_no`)}`

/**
 * Pageviews of a path in the range, in sessions that match the filters on sessions, and their engagement. `moment` is the time of
 * the pageview, `matches` says whether it matches the filters on hits; engagement does not match.
 */
export const pageReads = (
  db: Queryable,
  resolved: ResolvedQuery,
  { path = '' }: HeatOptions = {},
): Fragment => db`
  select
    id,
    type,
    session_no,
    coalesce(page_at, at) as moment,
    scroll,
    engaged_ms,
    type = 'pageview' and ${conditionsOnHit(db, resolved)} as matches
  from ${eventsOf(db, resolved)}
  where ${aroundRange(db, resolved)} and events.type in ('pageview', 'engagement') and events.path = ${path}
    and coalesce(page_at, at) >= ${resolved.start} and coalesce(page_at, at) < ${resolved.end}
    and ${conditionsOnSession(db, resolved)}`
