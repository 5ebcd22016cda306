import type { Queryable } from '../../db/connect.ts'
import { columnOf, type Dimension, isHitDimension, isSessionOnly } from '../../dimensions/dimensions.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import {
  aroundRange,
  eventsOf,
  type Fragment,
  inTime,
  sessionsAround,
  startedInRange,
  visibleHit,
} from './bounds.ts'
import {
  conditionsOnHit,
  conditionsOnSession,
  conditionsOnStartedSession,
  hasHitFilters,
} from './conditions.ts'
import { conversions } from './conversions.ts'
import { filteredMoney } from './money.ts'

export interface RelationOptions {
  /** The dimension that becomes the column `value` of the relations. */
  value?: Dimension
  /** Only hits, sessions and money with one of these values of the dimension `value`. */
  values?: readonly string[] | undefined
  /** Required by `conversions`. */
  targets?: ConversionTargets
  /** Whether `filtered_payments` has `MANY_PAYMENTS` rows or more. */
  hasManyPayments?: boolean
  /** Whether `movements_in_range` has as many. */
  hasManyMovements?: boolean
  /** Half-open; restricts only which `filtered_hits` are read, not which sessions match. */
  window?: { start: Date; end: Date }
  /** Only hits at these times; restricts only `filtered_hits`. */
  times?: Date[]
  /** Only occurrences of this error. */
  errorId?: string | undefined
  /** Only hits and engagement of these titles. */
  titles?: string[]
}

type Relation = (db: Queryable, resolved: ResolvedQuery, options: RelationOptions) => Fragment

/** What a filtered statement can read instead of tables. The database reads only the columns that the statement names. */
export const RELATIONS = {
  /** Pageviews and events in the range that match all filters, including events that the service wrote. */
  filtered_hits: (db, resolved, options) => db`
    select events.* ${valueColumn(db, options.value)}
    from ${eventsOf(db, resolved)}
    ${options.value && isSessionOnly(options.value) ? joinSession(db, resolved) : db``}
    where ${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)} and ${conditionsOnSession(db, resolved)}
      ${options.window ? db`and ${inTime(db, options.window)}` : db``}
      ${options.times ? atTimes(db, options.times) : db``} ${restricted(db, options)} ${hasValue(db, options)}`,

  /** Sessions that started in the range and match all filters. */
  filtered_sessions: (db, resolved, { value, values }) => db`
    select sessions.* ${value && !isHitDimension(value) ? db`, sessions.${db(value)}::text as value` : db``}
    from sessions
    where ${conditionsOnStartedSession(db, resolved)}
      ${values && value && !isHitDimension(value) ? db`and sessions.${db(value)}::text = any(${values}::text[])` : db``}`,

  /** Hits of the filtered sessions; without filters on hits, also their hits outside the range. */
  session_hits: (db, resolved, options) => db`
    select events.* ${options.value && isHitDimension(options.value) ? valueColumn(db, options.value) : db``}
    from ${eventsOf(db, resolved)}
    where ${
      hasHitFilters(resolved)
        ? db`${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}`
        : db`${aroundRange(db, resolved)} and events.type not in ('engagement', 'identify')`
    } and not is_service and ${startedInRange(db, resolved)} and ${conditionsOnSession(db, resolved)}
      ${restricted(db, options)} ${hasValue(db, options)}`,

  /** `filtered_hits` (`in_filtered_hits`) and `session_hits` (`in_session_hits`), read in one scan. */
  matching_hits: (db, resolved, options) => matchingRows(db, resolved, options, ['engagement', 'identify']),

  /** The same and, without filters on hits, engagement of sessions that started in the range (`in_engagements`). */
  matching_rows: (db, resolved, options) => matchingRows(db, resolved, options, ['identify']),

  /** Engagement of sessions that started in the range, with the filters on sessions only. */
  engagements: (db, resolved, options) => db`
    select events.* ${options.value && isHitDimension(options.value) ? valueColumn(db, options.value) : db``}
    from ${eventsOf(db, resolved)}
    where ${aroundRange(db, resolved)} and ${startedInRange(db, resolved)} and ${conditionsOnSession(db, resolved)}
      and events.type = 'engagement' ${restricted(db, options)} ${hasValue(db, options)}`,

  /** Payments in the range, in any currency, whose session matches; with the columns of `revenue`. */
  filtered_payments: (db, resolved, { value, values, hasManyPayments: isMuch }) =>
    filteredMoney(db, resolved, 'revenue', resolved.start, { value, values, isMuch }),

  /** MRR movements before the end of the range whose session matches. */
  filtered_movements: (db, resolved, { value }) =>
    filteredMoney(db, resolved, 'mrr_movements', null, { value }),

  /** MRR movements in the range whose session matches. */
  movements_in_range: (db, resolved, { value, values, hasManyMovements: isMuch }) =>
    filteredMoney(db, resolved, 'mrr_movements', resolved.start, { value, values, isMuch }),

  /** Conversions of `targets` in the range, in sessions that match; `value` is that of a dimension of sessions. */
  conversions: (db, resolved, { targets, value, values }) =>
    value && !isHitDimension(value)
      ? db`
    select conversion.*, session.value
    from (${conversions(db, resolved, targets!)}) as conversion
    join (
      select session_no, sessions.${db(value)}::text as value
      from sessions
      where ${sessionsAround(db, resolved)}
        ${values ? db`and sessions.${db(value)}::text = any(${values}::text[])` : db``}
    ) as session using (session_no)`
      : conversions(db, resolved, targets!),
} satisfies Record<string, Relation>

export type RelationName = keyof typeof RELATIONS

/** Sessions with a hit in the range that matches the filters on hits; the conditions on sessions refer to it. */
export const matchingSessions = (db: Queryable, resolved: ResolvedQuery): Fragment => db`
  matching_sessions as materialized (
    select distinct session_no
    from ${eventsOf(db, resolved)}
    where ${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}
  ),`

/** Rows of `matching_hits` or `matching_rows`: one scan instead of one for each of the two relations. */
function matchingRows(
  db: Queryable,
  resolved: ResolvedQuery,
  options: RelationOptions,
  leftOut: ('engagement' | 'identify')[],
): Fragment {
  const isInRange = inTime(db, resolved)
  const isOfStarted = startedInRange(db, resolved)
  const rows = hasHitFilters(resolved)
    ? db`${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}`
    : db`${aroundRange(db, resolved)} and events.type <> all(${leftOut}::text[]) and (${isInRange} or ${isOfStarted})`
  return db`
    select
      events.* ${valueColumn(db, options.value)},
      events.type <> 'engagement' and ${isInRange} as in_filtered_hits,
      events.type <> 'engagement' and not is_service and ${isOfStarted} as in_session_hits,
      events.type = 'engagement' and ${isOfStarted} as in_engagements
    from ${eventsOf(db, resolved)}
    where ${rows} and ${conditionsOnSession(db, resolved)} ${hasValue(db, options)}`
}

const joinSession = (db: Queryable, resolved: ResolvedQuery): Fragment => db`
  join (select session_no, user_id, visit_count from sessions where ${sessionsAround(db, resolved)}) as session
    on session.session_no = events.session_no`

const valueColumn = (db: Queryable, dimension: Dimension | undefined): Fragment =>
  dimension ? db`, ${columnOfValue(db, dimension)} as value` : db``

const columnOfValue = (db: Queryable, dimension: Dimension): Fragment =>
  isSessionOnly(dimension) ? db`session.${db(dimension)}::text` : db`events.${db(columnOf(dimension))}`

const hasValue = (db: Queryable, { value, values }: RelationOptions): Fragment =>
  value && values ? db`and ${columnOfValue(db, value)} = any(${values}::text[])` : db``

/** The type is needed, too: the index covers only errors. */
const restricted = (db: Queryable, { errorId, titles }: RelationOptions): Fragment => db`
  ${errorId ? db`and events.type = 'error' and events.error_id = ${errorId}::uuid` : db``}
  ${titles ? db`and events.title = any(${titles}::text[])` : db``}`

/** The bounds are needed, too: without them, chunks and batches outside these times would be read. */
function atTimes(db: Queryable, times: Date[]): Fragment {
  const ordered = times.toSorted((a, b) => a.getTime() - b.getTime())
  return db`
    and events.at >= ${ordered[0]!} and events.at <= ${ordered.at(-1)!}
    and events.at = any(${ordered.map(at => at.toISOString())}::timestamptz[])`
}
