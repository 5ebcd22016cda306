import type { Queryable } from '../../infra/db.ts'
import { type Dimension, HIT_COLUMNS, isHitDimension, isSessionOnly } from './dimensions.ts'
import type { Condition, Filters } from './query.ts'
import type { Fragment, Scope } from './scope.ts'

/** Hits of a session lie at most 24 hours from its start; late hits may lie before it. */
const SESSION_REACH_MS = 25 * 3_600_000

export const hasHitFilters = ({ filters: { dimensions, property } }: Scope) =>
  property !== undefined || dimensions.some(({ dimension }) => isHitDimension(dimension))

/** Concatenates fragments. Without this, the driver would make a parameter of an empty list. */
export const inTurn = (db: Queryable, parts: Fragment[]): Fragment => (parts.length > 0 ? db`${parts}` : db``)

/** Dimensions of pages. Events that the service writes have no page: their empty column is not the value `(none)`. */
const PAGE_DIMENSIONS: ReadonlySet<Dimension> = new Set(['path', 'title', 'hostname'])

/** Conditions of the filters on the hit itself. */
export function hitConditions(db: Queryable, { filters: { dimensions, property } }: Scope): Fragment {
  const own = dimensions.flatMap(({ dimension, condition }) =>
    isHitDimension(dimension)
      ? [db`and ${holds(db, db`events.${db(HIT_COLUMNS[dimension])}`, condition)}`]
      : [],
  )
  const asksForPage = dimensions.some(({ dimension }) => PAGE_DIMENSIONS.has(dimension))
  return db`
    true ${inTurn(db, own)}
    ${asksForPage ? db`and not events.is_service` : db``}
    ${property ? db`and ${carries(db, property)}` : db``}`
}

/** Conditions on a hit's session: on columns of `events` where they exist there, otherwise through the session's number. */
export function sessionConditions(db: Queryable, scope: Scope): Fragment {
  const { dimensions } = scope.filters
  const shared = dimensions.filter(({ dimension }) => !isHitDimension(dimension) && !isSessionOnly(dimension))
  const others = dimensions.filter(({ dimension }) => isSessionOnly(dimension))
  return db`
    true
    ${inTurn(
      db,
      shared.map(({ dimension, condition }) => db`and ${holds(db, db`events.${db(dimension)}`, condition)}`),
    )}
    ${
      others.length === 0
        ? db``
        : db`and events.session_no in (
            select session_no from sessions
            where ${sessionsAround(db, scope)}
            ${inTurn(
              db,
              others.map(
                ({ dimension, condition }) => db`and ${holds(db, sessionColumn(db, dimension), condition)}`,
              ),
            )}
          )`
    }
    ${scope.goal ? db`and events.session_no in (select session_no from converted)` : db``}`
}

/** A dimension of a joined session as text; empty without a session. */
export const sessionDimension = (db: Queryable, dimension: Dimension): Fragment =>
  db`coalesce(${sessionColumn(db, dimension)}, '')`

/** Conditions on the dimensions of a joined session. */
export function sessionDimensionConditions(db: Queryable, { filters }: Scope): Fragment {
  const own = filters.dimensions.filter(({ dimension }) => !isHitDimension(dimension))
  const tests = own.map(
    ({ dimension, condition }) => db`and ${holds(db, sessionDimension(db, dimension), condition)}`,
  )
  return db`true ${inTurn(db, tests)}`
}

/** Condition for sessions that started in the range and match all filters. */
export function keptSession(db: Queryable, scope: Scope): Fragment {
  const own = scope.filters.dimensions.filter(({ dimension }) => !isHitDimension(dimension))
  const start = latest(scope.start, scope.visits?.from)
  const end = earliest(scope.end, scope.visits?.to)
  return db`
    sessions.site_no = ${scope.siteNo}::int
    and sessions.started_at >= ${start} and sessions.started_at < ${end}
    ${inTurn(
      db,
      own.map(({ dimension, condition }) => db`and ${holds(db, sessionColumn(db, dimension), condition)}`),
    )}
    ${hasHitFilters(scope) ? db`and session_no in (select session_no from matching)` : db``}
    ${scope.goal ? db`and session_no in (select session_no from converted)` : db``}`
}

export const inRange = (db: Queryable, scope: Scope): Fragment =>
  db`events.site_no = ${scope.siteNo}::int and ${inTime(db, scope)}`

export const inTime = (db: Queryable, { start, end }: Scope): Fragment =>
  db`(events.at >= ${start} and events.at < ${end})`

/** Condition for pageviews and events in the range, including events that the service wrote. */
export const visibleHit = (db: Queryable, scope: Scope): Fragment =>
  db`${inRange(db, scope)} and events.type not in ('engagement', 'identify')`

/** Condition for the time span in which hits of sessions that started in the range can lie. */
export function aroundRange(db: Queryable, scope: Scope): Fragment {
  const { start, end } = around(scope)
  return db`events.site_no = ${scope.siteNo}::int and events.at >= ${start} and events.at < ${end}`
}

/** Computed here and not in SQL: the planner excludes chunks, and starts workers, only with constant bounds. */
const around = ({ start, end }: Scope) => ({
  start: new Date(start.getTime() - SESSION_REACH_MS),
  end: new Date(end.getTime() + SESSION_REACH_MS),
})

/**
 * Source of hits, under the name `events`; with a slice of visits, only hits of these visits. Events that the service writes
 * may lie any time after a visit, its other hits within a day.
 */
export function eventsOf(db: Queryable, { siteNo, visits }: Scope): Fragment {
  if (!visits) return db`events`
  const { from, to } = visits
  const ofVisits = db`
    site_no = ${siteNo}::int
    ${from ? db`and session_at >= ${from}` : db``}
    ${to ? (from ? db`and session_at < ${to}` : db`and (session_at < ${to} or session_at is null)`) : db``}`
  return db`(
    select * from events
    where ${ofVisits} and not is_service
      ${from ? db`and at >= ${new Date(from.getTime() - SESSION_REACH_MS)}` : db``}
      ${to ? db`and at < ${new Date(to.getTime() + SESSION_REACH_MS)}` : db``}
    union all
    select * from events where ${ofVisits} and is_service
  ) as events`
}

const latest = (one: Date, other: Date | null | undefined): Date => (other && other > one ? other : one)
const earliest = (one: Date, other: Date | null | undefined): Date => (other && other < one ? other : one)

export const startedInRange = (db: Queryable, { start, end }: Scope): Fragment =>
  db`(events.session_at >= ${start} and events.session_at < ${end})`

/** Condition for sessions of hits in or near the range. An event that the service wrote may belong to any earlier session. */
export const sessionsAround = (db: Queryable, scope: Scope): Fragment => db`
  sessions.site_no = ${scope.siteNo}::int
  and sessions.started_at < ${scope.visits?.to ?? around(scope).end}
  and sessions.started_at >= ${
    scope.visits?.from
      ? db`${scope.visits.from}`
      : db`least(
        ${around(scope).start}::timestamptz,
        (select min(session_at) from events where ${inRange(db, scope)} and is_service)
      )`
  }`

const sessionColumn = (db: Queryable, dimension: Dimension): Fragment => db`sessions.${db(dimension)}::text`

/**
 * Condition for hits with a property under one of the keys and with one of the values. A negative condition on keys applies to
 * all properties of a hit: none may have such a key.
 */
function carries(db: Queryable, { keys, values }: NonNullable<Filters['property']>): Fragment {
  const isNegative = ({ operator }: Condition) => operator === 'is_not' || operator === 'does_not_contain'
  const some = (tests: Fragment[]) =>
    db`exists (select from jsonb_each_text(events.props) as property where true ${inTurn(db, tests)})`
  const named = keys.filter(key => !isNegative(key))
  const absent = keys
    .filter(isNegative)
    .map(key => db`and not ${some([db`and not ${holds(db, db`property.key`, key)}`])}`)
  if (named.length + values.length === 0) return db`(true ${inTurn(db, absent)})`
  const present = some([
    ...named.map(key => db`and ${holds(db, db`property.key`, key)}`),
    ...values.map(value => db`and ${holds(db, db`property.value`, value)}`),
  ])
  const takesNone =
    values.length === 0 && named.every(key => key.operator === 'is' && key.values.includes(''))
  return db`(${takesNone ? db`(events.props is null or ${present})` : present} ${inTurn(db, absent)})`
}

/** Condition as SQL on a text column. */
function holds(db: Queryable, column: Fragment, { operator, values }: Condition): Fragment {
  const some = (test: Fragment) =>
    db`exists (select from unnest(${values}::text[]) as wanted (text) where ${test})`
  switch (operator) {
    case 'is':
      return db`${column} = any(${values}::text[])`
    case 'is_not':
      return db`${column} <> all(${values}::text[])`
    case 'contains':
      return some(db`strpos(${column}, wanted.text) > 0`)
    case 'does_not_contain':
      return db`not ${some(db`strpos(${column}, wanted.text) > 0`)}`
    case 'starts_with':
      return some(db`starts_with(${column}, wanted.text)`)
    case 'ends_with':
      return some(db`right(${column}, length(wanted.text)) = wanted.text`)
    default:
      throw new Error(`${operator} must be resolved to a list of values`)
  }
}
