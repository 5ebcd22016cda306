import type { Queryable } from '../../db/connect.ts'
import { columnOf, isHitDimension, isOfSessionEnd } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import {
  aroundRange,
  eventsOf,
  type Fragment,
  inRange,
  inTime,
  sessionsAround,
  startedInRange,
  startedSession,
  visibleHit,
} from './bounds.ts'
import {
  conditionsOnHit,
  conditionsOnSession,
  conditionsOnStartedSession,
  hasHitFilters,
} from './conditions.ts'
import { conversions } from './conversions.ts'
import { filteredCustomers, filteredSubscriptions } from './customers.ts'
import { type FunnelOptions, funnelMoments, unitHits } from './funnel.ts'
import { clicks, type HeatOptions, pageReads, seenSessions } from './heat.ts'
import { type JourneyOptions, journeyHits } from './journey.ts'
import { filteredMoney } from './money.ts'
import {
  asValue,
  hasValue,
  joinSession,
  type ValueOptions,
  valueInHit,
  valueOfHit,
  valueOfSession,
} from './values.ts'
import { type VitalOptions, vitalsOf, whereMeasured } from './web-vitals.ts'

export interface RelationOptions extends ValueOptions {
  /** Required by `conversions`. */
  targets?: ConversionTargets
  /** Which measure `filtered_vitals` has; without it, reports with all of them. */
  vital?: VitalOptions
  /** What `funnel_moments` and `unit_hits` read. */
  funnel?: FunnelOptions
  /** What `journey_hits` reads. */
  journey?: JourneyOptions
  /** What `clicks` and `page_reads` read. */
  heat?: HeatOptions
  /** Whether `filtered_payments` has `MANY_PAYMENTS` rows or more. */
  hasManyPayments?: boolean
  /** Whether `movements_in_range` has as many. */
  hasManyMovements?: boolean
  /** Half-open; restricts only which `filtered_hits` and `filtered_sessions` are read, not which sessions match. */
  window?: { start: Date; end: Date }
  /** Only sessions of these people; restricts only `filtered_sessions`. */
  people?: PeopleFilter | undefined
  /** Only this session; restricts only `filtered_hits` and `filtered_sessions`. */
  sessionNo?: number
  /** Only these sessions; restricts only `filtered_sessions`. */
  sessionNos?: number[]
  /** Only sessions with a replay; restricts only `filtered_sessions`. */
  hasReplay?: boolean
  /** Required by `visit_hits` and `visit_values`: the sessions whose hits they have. */
  visits?: VisitSpan[]
  /** Only hits that come after this one in a list of the newest first; restricts only `filtered_hits`. */
  after?: { at: Date; id: string } | undefined
  /** Only sessions that come after this one in a list of the newest first; restricts only `filtered_sessions`. */
  afterSession?: { at: Date; id: number } | undefined
  /** Only hits at these times; restricts only `filtered_hits`. */
  times?: Date[]
  /** Only occurrences of this error. */
  errorId?: string | undefined
  /** Only hits and engagement of these titles. */
  titles?: string[]
}

/** Visitors by number, or users by identifier. */
export type PeopleFilter = { visitorNos: number[] } | { userIds: string[] }

/** A session, and when its first and latest hits were. */
export interface VisitSpan {
  sessionNo: number
  firstAt: Date
  lastAt: Date
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
      ${options.window ? db`and ${inTime(db, options.window)}` : db``}
      ${options.after ? db`and (at, id) < (${options.after.at}::timestamptz, ${options.after.id}::uuid)` : db``}
      ${options.times ? atTimes(db, options.times) : db``} ${restricted(db, options)}
      ${options.sessionNo === undefined ? db`` : db`and events.session_no = ${options.sessionNo}::bigint`}
      ${hasValue(db, valueOfHit(db, resolved, options), options)}`,

  /** Sessions that started in the range and match all filters. */
  filtered_sessions: (db, resolved, options) => db`
    select sessions.* ${asValue(db, valueOfSession(db, resolved, options))}
    from sessions
    where ${conditionsOnStartedSession(db, resolved)}
      ${startedWithin(db, options)} ${options.hasReplay ? withReplay(db, resolved) : db``}
      ${hasValue(db, valueOfSession(db, resolved, options), options)}`,

  /**
   * Events of `visits` in the range that match the filters on hits; no pageviews, and none that the service wrote. The bounds of a
   * visit alone: with those of the range, too, the planner would read the whole range for each visit.
   */
  visit_hits: (db, resolved, { visits = [] }) => db`
    select hit.*
    from ${visitsOf(db, resolved, visits)}
    cross join lateral (
      select events.*
      from events
      where events.site_no = ${resolved.siteNo}::int and events.session_no = visit.session_no
        and events.at >= visit.first_at and events.at <= visit.last_at
        and events.type not in ('pageview', 'engagement', 'identify') and not events.is_service
        and ${conditionsOnHit(db, resolved)}
      -- Keeps the planner from joining all hits of the range with the visits.
      offset 0
    ) as hit`,

  /** The values that hits of `visits` in the range have that match the filters on hits, each once a visit; as `visit_hits`. */
  visit_values: (db, resolved, options) => db`
    select visit.session_no, hit.value
    from ${visitsOf(db, resolved, options.visits ?? [])}
    cross join lateral (
      select distinct ${valueInHit(db, options)!} as value
      from events
      where events.site_no = ${resolved.siteNo}::int and events.session_no = visit.session_no
        and events.at >= visit.first_at and events.at <= visit.last_at
        and events.type not in ('engagement', 'identify') and not events.is_service
        and ${conditionsOnHit(db, resolved)} ${hasValue(db, valueInHit(db, options), options)}
      offset 0
    ) as hit`,

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
  filtered_movements: (db, resolved, { value }) =>
    filteredMoney(db, resolved, 'mrr_movements', null, { value }),

  /** MRR movements in the range whose session matches. */
  movements_in_range: (db, resolved, { value, values, zone, hasManyMovements: isMuch }) =>
    filteredMoney(db, resolved, 'mrr_movements', resolved.start, { value, values, zone, isMuch }),

  /** Customers, in any currency, whose first visit matches; with the columns of `customers`. */
  filtered_customers: (db, resolved, { value }) => filteredCustomers(db, resolved, value),

  /** Subscriptions, in any currency, the first visit of whose customer matches; with columns of that customer. */
  filtered_subscriptions: (db, resolved) => filteredSubscriptions(db, resolved),

  /** Conversions of `targets` in the range, in sessions that match; `value` is that of a dimension of sessions. */
  conversions: (db, resolved, options) => conversionsByValue(db, resolved, options),

  /** Moments at which `targets` are met as steps of a funnel. */
  funnel_moments: (db, resolved, { targets, funnel, value }) =>
    funnelMoments(db, resolved, targets!, funnel, value === HOUR_OF_WEEK ? undefined : value),

  /** Web vitals whose pageview is in the range and matches all filters. */
  filtered_vitals: (db, resolved, options) => db`
    select events.* ${asValue(db, valueOfHit(db, resolved, options))}
    from ${vitalsOf(db, resolved, options.vital)}
    ${joinSession(db, resolved, options)}
    where ${inRange(db, resolved)} and ${conditionsOnHit(db, resolved)} and ${conditionsOnSession(db, resolved)}
      ${whereMeasured(db, options.vital)}`,

  /** Pageviews and events of some visitors or sessions. */
  unit_hits: (db, resolved, { funnel }) => unitHits(db, resolved, funnel),

  /** Hits of the sessions that have a journey. */
  journey_hits: (db, resolved, { journey }) => journeyHits(db, resolved, journey),
  /** What was clicked, one row a click. */
  clicks: (db, resolved, { heat }) => clicks(db, resolved, heat),

  /** Sessions that have seen the pages that the filters name. */
  seen_sessions: seenSessions,

  /** Pageviews of a path, and their engagement. */
  page_reads: (db, resolved, { heat }) => pageReads(db, resolved, heat),
} satisfies Record<string, Relation>

export type RelationName = keyof typeof RELATIONS

/** Sessions with a hit in the range that matches the filters on hits; the conditions on sessions refer to it. */
export const matchingSessions = (db: Queryable, resolved: ResolvedQuery): Fragment => db`
  matching_sessions as materialized (
    select distinct session_no
    from ${eventsOf(db, resolved)}
    where ${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}
  ),`

/** The part of each visit that lies in the range. */
const visitsOf = (db: Queryable, resolved: ResolvedQuery, visits: VisitSpan[]): Fragment => db`
  unnest(
    ${visits.map(({ sessionNo }) => sessionNo)}::bigint[],
    ${visits.map(({ firstAt }) => later(firstAt, resolved.start).toISOString())}::timestamptz[],
    ${visits.map(({ lastAt }) => earlier(lastAt, justBefore(resolved.end)).toISOString())}::timestamptz[]
  ) as visit (session_no, first_at, last_at)`

function conversionsByValue(db: Queryable, resolved: ResolvedQuery, options: RelationOptions): Fragment {
  const { targets, value } = options
  const converting = conversions(db, resolved, targets!)
  if (!value || value === HOUR_OF_WEEK || isHitDimension(value)) return converting
  const ofSession = db`sessions.${db(columnOf(value))}::text`
  return db`
    select conversion.*, session.value
    from (${converting}) as conversion
    join (
      select session_no, ${ofSession} as value
      from ${isOfSessionEnd(value) ? db`sessions` : sessionsAround(db, resolved)}
      where ${isOfSessionEnd(value) ? startedSession(db, resolved) : db`true`}
        ${hasValue(db, ofSession, options)}
    ) as session using (session_no)`
}

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
      events.* ${asValue(db, valueInHit(db, options))},
      events.type <> 'engagement' and ${isInRange} as in_filtered_hits,
      events.type <> 'engagement' and not is_service and ${isOfStarted} as in_session_hits,
      events.type = 'engagement' and ${isOfStarted} as in_engagements
    from ${eventsOf(db, resolved)}
    where ${rows} and ${conditionsOnSession(db, resolved)}
      ${hasValue(db, valueInHit(db, options), options)}`
}

const later = (a: Date, b: Date) => (a > b ? a : b)
const earlier = (a: Date, b: Date) => (a < b ? a : b)
const justBefore = (at: Date) => new Date(at.getTime() - 1)

const ofPeople = (db: Queryable, people: PeopleFilter): Fragment =>
  'visitorNos' in people
    ? db`and sessions.visitor_no = any(${people.visitorNos}::int[])`
    : db`and sessions.user_id <> '' and sessions.user_id = any(${people.userIds}::text[])`

/** Sessions with a replay are few: a hash of them is compared with the sessions of the range. */
const withReplay = (db: Queryable, { siteNo, start, end }: ResolvedQuery): Fragment => db`
  and sessions.session_no in (
    select session_no
    from session_replays
    where site_no = ${siteNo}::int and session_at >= ${start} and session_at < ${end}
  )`

/** Narrows sessions to a span of starts, to what comes after one of them, to people, or to some sessions. */
const startedWithin = (
  db: Queryable,
  { window, people, sessionNo, sessionNos, afterSession: after }: RelationOptions,
): Fragment => db`
  ${after ? db`and (sessions.started_at, sessions.session_no) < (${after.at}::timestamptz, ${after.id}::bigint)` : db``}
  ${window ? db`and sessions.started_at >= ${window.start} and sessions.started_at < ${window.end}` : db``}
  ${people ? ofPeople(db, people) : db``}
  ${sessionNo === undefined ? db`` : db`and sessions.session_no = ${sessionNo}::bigint`}
  ${sessionNos ? db`and sessions.session_no = any(${sessionNos}::bigint[])` : db``}`

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
