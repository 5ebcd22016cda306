import type { Queryable } from '../../db/connect.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import { aroundRange, eventsOf, type Fragment, startedInRange, visibleHit } from './bounds.ts'
import {
  conditionsOnHit,
  conditionsOnSession,
  conditionsOnStartedSession,
  hasHitFilters,
} from './conditions.ts'
import { conversionsByValue } from './conversions.ts'
import { hitsOfOtherSessions, matchingRows, type PartOptions, valueParts } from './matching-rows.ts'
import { filteredMoney } from './money.ts'
import { type Narrowing, narrowHits, narrowSessions, restricted } from './narrowing.ts'
import { asValue, hasValue, joinSession, valueInHit, valueOfHit, valueOfSession } from './values.ts'
import { type VisitSpan, visitHits, visitValues } from './visits.ts'

export interface RelationOptions extends PartOptions, Narrowing {
  /** Required by `conversions`. */
  targets?: ConversionTargets
  /** Whether `filtered_payments` has `MANY_PAYMENTS` rows or more. */
  hasManyPayments?: boolean
  /** Whether `movements_in_range`, or `filtered_movements`, has as many. */
  hasManyMovements?: boolean
  /** Required by `visit_hits` and `visit_values`: the sessions whose hits they have. */
  visits?: VisitSpan[]
}

type Relation = (db: Queryable, resolved: ResolvedQuery, options: RelationOptions) => Fragment

/** What a filtered statement can read instead of tables. The database reads only the columns that the statement names. */
export const RELATIONS = {
  /** Pageviews and events in the range that match all filters, including events that the service wrote. */
  filtered_hits: (db, resolved, options) => db`
    select events.* ${asValue(db, valueOfHit(db, resolved, options))}
    from ${eventsOf(db, resolved)}
    ${joinSession(db, resolved, options)}
    where ${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)} and ${conditionsOnSession(db, resolved)}
      ${narrowHits(db, options)} ${hasValue(db, valueOfHit(db, resolved, options), options)}`,

  /** Hits in the range that count for visitors, of matching sessions that started before or after; without filters on hits. */
  hits_of_other_sessions: hitsOfOtherSessions,

  /** Sessions that started in the range and match all filters. */
  filtered_sessions: (db, resolved, options) => db`
    select sessions.* ${asValue(db, valueOfSession(db, resolved, options))}
    from sessions
    where ${conditionsOnStartedSession(db, resolved)}
      ${narrowSessions(db, resolved, options)} ${hasValue(db, valueOfSession(db, resolved, options), options)}`,

  /** Events of `visits`. */
  visit_hits: (db, resolved, { visits = [] }) => visitHits(db, resolved, visits),

  /** Values of hits of `visits`. */
  visit_values: (db, resolved, { visits = [], ...options }) => visitValues(db, resolved, visits, options),

  /** Hits of the filtered sessions; without filters on hits, also their hits outside the range. */
  session_hits: (db, resolved, options) => db`
    select events.* ${asValue(db, valueInHit(db, options))}
    from ${eventsOf(db, resolved)}
    where ${
      hasHitFilters(resolved)
        ? db`${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}`
        : db`${aroundRange(db, resolved)} and events.type not in ('engagement', 'identify')`
    } and not is_service and ${startedInRange(db, resolved)} and ${conditionsOnSession(db, resolved)}
      ${restricted(db, options)} ${hasValue(db, valueInHit(db, options), options)}`,

  /** `filtered_hits` (`in_filtered_hits`) and `session_hits` (`in_session_hits`), read in one scan. */
  matching_hits: (db, resolved, options) => matchingRows(db, resolved, options, ['engagement', 'identify']),

  /** The same and, without filters on hits, engagement of sessions that started in the range (`in_engagements`). */
  matching_rows: (db, resolved, options) => matchingRows(db, resolved, options, ['identify']),

  /** Counts, visitors and sessions of `matching_rows` by value of a dimension of hits, in a few rows for each value. */
  value_parts: (db, resolved, options) => valueParts(db, resolved, options),

  /** Engagement of sessions that started in the range, with the filters on sessions only. */
  engagements: (db, resolved, options) => db`
    select events.* ${asValue(db, valueInHit(db, options))}
    from ${eventsOf(db, resolved)}
    where ${aroundRange(db, resolved)} and ${startedInRange(db, resolved)} and ${conditionsOnSession(db, resolved)}
      and events.type = 'engagement' ${restricted(db, options)} ${hasValue(db, valueInHit(db, options), options)}`,

  /** Payments in the range, in any currency, whose session matches; with the columns of `revenue`. */
  filtered_payments: (db, resolved, { value, values, zone, hasManyPayments: isMuch }) =>
    filteredMoney(db, resolved, 'revenue', resolved.start, { value, values, zone, isMuch }),

  /** MRR movements before the end of the range whose session matches. */
  filtered_movements: (db, resolved, { value, hasManyMovements: isMuch }) =>
    filteredMoney(db, resolved, 'mrr_movements', null, { value, isMuch }),

  /** MRR movements in the range whose session matches. */
  movements_in_range: (db, resolved, { value, values, zone, hasManyMovements: isMuch }) =>
    filteredMoney(db, resolved, 'mrr_movements', resolved.start, { value, values, zone, isMuch }),

  /** Conversions of `targets` in the range, in sessions that match; `value` is that of a dimension of sessions. */
  conversions: (db, resolved, { targets, ...options }) => conversionsByValue(db, resolved, targets!, options),
} satisfies Record<string, Relation>

export type RelationName = keyof typeof RELATIONS

/** Sessions with a hit in the range that matches the filters on hits; the conditions on sessions refer to it. */
export const matchingSessions = (db: Queryable, resolved: ResolvedQuery): Fragment => db`
  matching_sessions as materialized (
    select distinct session_no
    from ${eventsOf(db, resolved)}
    where ${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}
  ),`
