import { fieldOf, SESSION_ATTRIBUTES } from '../../../platform/dimensions/dimensions.ts'
import { sessionIdOf } from '../../../stats/sessions/session-id.ts'
import type { ExportedHit, ExportedSession } from './rows.ts'

type Value = string | number | Date | null

/** A column of a CSV or Parquet file. */
export interface Column<Row> {
  name: string
  type: 'text' | 'json' | 'time' | 'int' | 'bigint'
  /** Null and the empty text are both an empty cell; in Parquet only null is null. */
  value: (row: Row) => Value
}

const text = <Row>(name: string, value: (row: Row) => string | null): Column<Row> => ({
  name,
  type: 'text',
  value: row => value(row) || null,
})
const column =
  (type: 'json' | 'time' | 'int' | 'bigint') =>
  <Row>(name: string, value: (row: Row) => Value): Column<Row> => ({ name, type, value })
const time = column('time')
const int = column('int')
const bigint = column('bigint')

/** Columns of the hit itself. */
export const HIT_COLUMNS: Column<ExportedHit>[] = [
  time('timestamp', hit => hit.at),
  text('id', hit => hit.id),
  text('type', hit => hit.type),
  text('event_name', hit => hit.name),
  text('visitor_id', hit => hit.visitorId),
  text('hostname', hit => hit.hostname),
  text('path', hit => hit.path),
  text('url', hit => hit.url),
  text('title', hit => hit.title),
  column('json')('properties', hit => hit.props),
  int('scroll_depth', hit => hit.scroll),
  bigint('engaged_ms', hit => hit.engagedMs),
  time('page_at', hit => hit.pageAt),
  bigint('revenue_minor', hit => hit.revenueMinor),
  text('revenue_currency', hit => hit.revenueCurrency),
  text('error_id', hit => hit.errorId),
  text('error_message', hit => hit.errorMessage),
  text('error_stack', hit => hit.errorStack),
  text('error_file', hit => hit.errorFile),
  text('error_line', hit => hit.errorLine),
  text('error_column', hit => hit.errorColumn),
]

/** Columns of the session of a hit; all null for an identify without a session. */
export const SESSION_COLUMNS: Column<ExportedSession>[] = [
  text('session_id', sessionIdOf),
  time('session_started_at', session => session.startedAt),
  time('session_first_at', session => session.firstAt),
  time('session_last_at', session => session.lastAt),
  int('session_pageviews', session => session.pageviews),
  int('session_events', session => session.events),
  int('visit_count', session => session.visitCount),
  text('user_id', session => session.userId),
  time('user_since', session => session.userSince),
  text('exit_path', session => session.exitPath),
  ...SESSION_ATTRIBUTES.map(name => {
    const key = fieldOf(name)
    // The hit has a host of its own.
    return text<ExportedSession>(name === 'hostname' ? 'session_hostname' : name, session => session[key])
  }),
]
