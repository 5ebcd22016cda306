import type { Queryable } from '../../db/connect.ts'
import {
  type BreakdownDimension,
  columnOf,
  isHitDimension,
  isInSessionRow,
} from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { type Fragment, hourOfWeek, sessionsAround } from './bounds.ts'
import { sessionDimension } from './conditions.ts'

/** What relations have as the column `value`. */
export interface ValueOptions {
  /** The dimension that becomes the column `value` of the relations. */
  value?: BreakdownDimension | undefined
  /** Only hits, sessions and money with one of these values of the dimension `value`. */
  values?: readonly string[] | undefined
  /** Time zone of the site; the value `hour_of_week` needs it. */
  zone?: string | undefined
}

/** The value of an expression; undefined where rows have none. */
type Value = Fragment | undefined

/** The value of a hit; the row of its session must be joined (`joinSession`) where it alone has the value. */
export function valueOfHit(db: Queryable, resolved: ResolvedQuery, { value, zone }: ValueOptions): Value {
  if (value === undefined) return undefined
  if (value === HOUR_OF_WEEK) return hourOfWeek(db, resolved, zone!, db`events.at`)
  return isInSessionRow(value) ? db`session.${db(columnOf(value))}::text` : db`events.${db(columnOf(value))}`
}

/** The value that the row of a hit has by itself: its own, or one that is copied from its session. */
export const valueInHit = (db: Queryable, { value }: ValueOptions): Value =>
  value && value !== HOUR_OF_WEEK && !isInSessionRow(value) ? db`events.${db(columnOf(value))}` : undefined

/** The value of a session. */
export function valueOfSession(db: Queryable, resolved: ResolvedQuery, { value, zone }: ValueOptions): Value {
  if (value === HOUR_OF_WEEK) return hourOfWeek(db, resolved, zone!, db`sessions.started_at`)
  return value && !isHitDimension(value) ? db`sessions.${db(columnOf(value))}::text` : undefined
}

/** The value of money: of the session it is attributed to, empty without one; or the hour of the money itself. */
export function valueOfMoney(db: Queryable, resolved: ResolvedQuery, { value, zone }: ValueOptions): Value {
  if (value === HOUR_OF_WEEK) return hourOfWeek(db, resolved, zone!, db`money.at`)
  return value && !isHitDimension(value) ? sessionDimension(db, value) : undefined
}

/** The column `value`. */
export const asValue = (db: Queryable, value: Value): Fragment => (value ? db`, ${value} as value` : db``)

/** Condition for rows with one of the values that are wanted. */
export const hasValue = (db: Queryable, value: Value, { values }: ValueOptions): Fragment =>
  value && values ? db`and ${value} = any(${values}::text[])` : db``

/** The row of a hit's session, where it alone has the value. */
export const joinSession = (db: Queryable, resolved: ResolvedQuery, { value }: ValueOptions): Fragment =>
  value && value !== HOUR_OF_WEEK && isInSessionRow(value)
    ? db`
  join (select session_no, ${db(columnOf(value))} from ${sessionsAround(db, resolved)}) as session
    on session.session_no = events.session_no`
    : db``
