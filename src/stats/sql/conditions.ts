import type { Queryable } from '../../db/connect.ts'
import { columnOf, type Dimension, isHitDimension, isInSessionRow } from '../../dimensions/dimensions.ts'
import type { Condition, DimensionFilter } from '../../filters/conditions.ts'
import { type PropertyFilter, propertiesOf, type ResolvedQuery } from '../filters/resolved-query.ts'
import { concat, type Fragment, sessionsAround, startedSession } from './bounds.ts'

export const hasHitFilters = ({ filters }: ResolvedQuery): boolean =>
  propertiesOf(filters).length > 0 || filters.dimensions.some(isOnHit)

const isOnHit = ({ dimension }: DimensionFilter) => isHitDimension(dimension)
const isOnSession = ({ dimension }: DimensionFilter) => !isHitDimension(dimension)

/** Dimensions of pages. Events that the service writes have no page: their empty column is not the value `(none)`. */
const PAGE_DIMENSIONS: ReadonlySet<Dimension> = new Set(['path', 'title', 'hostname'])

const isOnPage = ({ dimension }: DimensionFilter) => PAGE_DIMENSIONS.has(dimension)

/** Conditions of the filters on the hit itself. */
export function conditionsOnHit(db: Queryable, { filters }: ResolvedQuery): Fragment {
  const { dimensions } = filters
  const needsPage = dimensions.some(isOnPage)
  return db`
    true ${allHold(db, dimensions.filter(isOnHit), dimension => db`events.${db(columnOf(dimension))}`)}
    ${needsPage ? db`and not events.is_service` : db``}
    ${concat(
      db,
      propertiesOf(filters).map(property => db`and ${hasProperty(db, property)}`),
    )}`
}

/**
 * Conditions on a hit's session: on columns of `events` where they exist there, otherwise through the session's number. An event
 * that the service wrote for no visitor has no session: all its values are empty, as those of its copied columns are.
 */
export function conditionsOnSession(db: Queryable, resolved: ResolvedQuery): Fragment {
  const onSession = resolved.filters.dimensions.filter(isOnSession)
  const copied = onSession.filter(({ dimension }) => !isInSessionRow(dimension))
  const others = onSession.filter(({ dimension }) => isInSessionRow(dimension))
  return db`
    true
    ${allHold(db, copied, dimension => db`events.${db(dimension)}`)}
    ${others.length === 0 ? db`` : db`and ${inSessionWhere(db, resolved, others)}`}
    ${inConvertedSession(db, resolved, db`events.session_no`)}`
}

/**
 * Condition on values that only the row of the session has. Where they may be empty, a hit fails only if its session does: a hit
 * without a session passes, and the sessions that fail are the shorter list. With `session_no in (…) or session_no is
 * null` instead, the database could not join the sessions by a hash.
 */
function inSessionWhere(db: Queryable, resolved: ResolvedQuery, filters: DimensionFilter[]): Fragment {
  const holdAll = db`true ${allHold(db, filters, dimension => sessionColumn(db, dimension))}`
  return filters.every(({ condition }) => takesEmpty(condition))
    ? db`not exists (
        select from ${sessionsAround(db, resolved)}
        where sessions.session_no = events.session_no and not (${holdAll})
      )`
    : db`events.session_no in (select session_no from ${sessionsAround(db, resolved)} where ${holdAll})`
}

/** Condition for sessions that started in the range and match all filters. */
export function conditionsOnStartedSession(db: Queryable, resolved: ResolvedQuery): Fragment {
  const onSession = resolved.filters.dimensions.filter(isOnSession)
  return db`
    ${startedSession(db, resolved)}
    ${allHold(db, onSession, dimension => sessionColumn(db, dimension))}
    ${inMatchingSession(db, resolved, db`session_no`)}
    ${inConvertedSession(db, resolved, db`session_no`)}`
}

/**
 * Conditions on a session that is joined to a row of money, which may have no session. On the column itself where no row without one
 * matches: the columnstore then leaves out other sessions before they are joined.
 */
export const conditionsOnJoinedSession = (db: Queryable, resolved: ResolvedQuery): Fragment => {
  const textOf = takesMoneyWithoutSession(resolved) ? sessionDimension : sessionColumn
  return db`true ${allHold(db, resolved.filters.dimensions.filter(isOnSession), dimension => textOf(db, dimension))}`
}

/** Returns whether money that belongs to no session may match the filters: as the empty value. */
export const takesMoneyWithoutSession = ({ filters }: ResolvedQuery): boolean =>
  filters.dimensions.filter(isOnSession).every(({ condition }) => takesEmpty(condition))

/** Condition for the sessions with a hit that matches the filters on hits; empty without such filters. */
export const inMatchingSession = (db: Queryable, resolved: ResolvedQuery, sessionNo: Fragment): Fragment =>
  hasHitFilters(resolved) ? db`and ${sessionNo} in (select session_no from matching_sessions)` : db``

/** Condition for the sessions that converted the goals of the request and those of its segments; empty without such goals. */
export const inConvertedSession = (
  db: Queryable,
  resolved: ResolvedQuery,
  sessionNo: Fragment,
): Fragment => db`
  ${resolved.goal ? db`and ${sessionNo} in (select session_no from converted_sessions)` : db``}
  ${resolved.segmentSessionNos ? db`and ${sessionNo} in (select session_no from segment_sessions)` : db``}`

/** A dimension of a joined session as text; empty without a session. */
export const sessionDimension = (db: Queryable, dimension: Dimension): Fragment =>
  db`coalesce(${sessionColumn(db, dimension)}, '')`

const sessionColumn = (db: Queryable, dimension: Dimension): Fragment => db`sessions.${db(dimension)}::text`

/** Conditions on a row, one for each filter; `textOf` gives the column of a dimension as text. */
const allHold = (
  db: Queryable,
  filters: DimensionFilter[],
  textOf: (dimension: Dimension) => Fragment,
): Fragment =>
  concat(
    db,
    filters.map(({ dimension, condition }) => db`and ${holds(db, textOf(dimension), condition)}`),
  )

/**
 * Condition for hits with a property under one of the keys and with one of the values. A negative condition on keys applies to
 * all properties of a hit: none may have such a key.
 */
function hasProperty(db: Queryable, { keys, values }: PropertyFilter): Fragment {
  const isNegative = ({ operator }: Condition) => operator === 'is_not' || operator === 'does_not_contain'
  const some = (tests: Fragment[]) =>
    db`exists (select from jsonb_each_text(events.props) as property where true ${concat(db, tests)})`
  const named = keys.filter(key => !isNegative(key))
  const absent = keys.filter(isNegative).map(
    key => db`
    and not ${some([db`and not ${holds(db, db`property.key`, key)}`])}
    ${key.operator === 'is_not' && key.values.includes('') ? db`and events.props is not null` : db``}`,
  )
  if (named.length + values.length === 0) return db`(true ${concat(db, absent)})`
  const present = some([
    ...named.map(key => db`and ${holds(db, db`property.key`, key)}`),
    ...values.map(value => db`and ${holds(db, db`property.value`, value)}`),
  ])
  const takesNone =
    values.length === 0 && named.every(key => key.operator === 'is' && key.values.includes(''))
  return db`(${takesNone ? db`(events.props is null or ${present})` : present} ${concat(db, absent)})`
}

/** What `holds` says of the empty text. */
function takesEmpty({ operator, values }: Condition): boolean {
  const isNegative = operator === 'is_not' || operator === 'does_not_contain'
  return values.includes('') !== isNegative
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
