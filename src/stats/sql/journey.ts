import type { Queryable } from '../../db/connect.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { aroundRange, eventsOf, type Fragment, startedInRange, visibleHit } from './bounds.ts'
import { conditionsOnHit, conditionsOnSession, inMatchingSession } from './conditions.ts'

/** What `journey_hits` needs to know. */
export interface JourneyOptions {
  by: 'path' | 'title' | 'event_name'
  /** Only sessions that have it. */
  value: string
  /** Whether filters on hits select the hits themselves, and not only their sessions. */
  isNarrowed: boolean
}

const ANY: JourneyOptions = { by: 'path', value: '/', isNarrowed: false }

/**
 * Hits with a value, of the sessions that started in the range, match the filters and have the chosen value. Columns as those of
 * `funnel_moments`: `moment` is of the session, and meets the first step, so that it has a value.
 */
export function journeyHits(
  db: Queryable,
  resolved: ResolvedQuery,
  { by, value, isNarrowed }: JourneyOptions = ANY,
): Fragment {
  const column = by === 'event_name' ? db`events.name` : db`events.${db(by)}`
  const ofKind =
    by === 'event_name'
      ? db`events.type not in ('pageview', 'engagement', 'identify')`
      : db`events.type = 'pageview'`
  const hits = db`
    from ${eventsOf(db, resolved)}
    where ${isNarrowed ? db`${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}` : aroundRange(db, resolved)}
      and ${startedInRange(db, resolved)} and ${ofKind} and not is_service`
  return db`
    select events.session_no * 512 + 2 as moment, events.at, ${column} as value
    ${hits} and ${column} <> ''
      and events.session_no in (
        select events.session_no
        ${hits} and ${column} = ${value}
          and ${conditionsOnSession(db, resolved)} ${inMatchingSession(db, resolved, db`events.session_no`)}
      )`
}
