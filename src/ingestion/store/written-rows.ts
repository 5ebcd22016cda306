import { timeText } from '../../platform/db/array-text.ts'
import { copyValue, copyValues } from '../../platform/db/copy.ts'
import {
  COPIED_COLUMNS,
  fieldOf,
  SESSION_ATTRIBUTES,
  type SessionAttribute,
} from '../../platform/dimensions/dimensions.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Session, Visitor } from './batch-context.ts'
import { copiedText, NO_DIMENSIONS } from './dimensions.ts'
import type { SessionizedHit } from './session-rules.ts'

type Value = string | number | null
type Column<Row> = (row: Row) => Value

/** Most sent URLs are the path and its suffix, so only the suffix is stored; any other URL is stored whole. */
const isPathFirst = ({ url, path }: EnrichedHit) => path !== '' && url?.startsWith(path) === true

/** Columns of `eventLine`, in its order. */
export const EVENT_COLUMNS = [
  ...['site_no', 'at', 'id', 'type', 'name', 'visitor_no', 'session_no', 'session_at'],
  ...['hostname', 'path', 'url', 'query', 'title'],
  ...COPIED_COLUMNS,
  ...['props', 'scroll', 'engaged_ms', 'page_at', 'revenue_minor', 'revenue_currency'],
  ...['error_id', 'error_message', 'error_stack', 'error_file', 'error_line', 'error_column'],
]

const NOTHING_COPIED = copiedText(NO_DIMENSIONS)
const ERROR_COLUMNS = 6
const NO_ERROR = copyValues(Array.from({ length: ERROR_COLUMNS }, () => null))
const NULL = copyValue(null)

/** Returns a hit as a line for COPY. What it has of its session was made a text with the session. */
export function eventLine({ hit, visitor, session, page }: SessionizedHit): string {
  const {
    siteNo,
    id,
    type,
    hostname,
    path,
    url = '',
    error,
    errorId,
    props,
    scroll,
    engagedMs,
    revenue,
  } = hit
  const name = type === 'error' ? (error?.name ?? 'Error') : (hit.name ?? '')
  const isPart = isPathFirst(hit)
  const title = page ? page.title : (hit.title ?? '')
  return (
    `${siteNo}\t${timeText(hit.at)}\t${id}\t${type}\t${copyValue(name)}\t${visitor.visitorNo}\t` +
    `${session?.sessionNo ?? NULL}\t${timeText(session?.startedAt) ?? NULL}\t${copyValue(hostname)}\t${copyValue(path)}\t` +
    `${isPart ? '' : copyValue(url)}\t${isPart ? copyValue(url.slice(path.length)) : ''}\t${copyValue(title)}\t` +
    `${session?.copiedText ?? NOTHING_COPIED}\t${props ? copyValue(JSON.stringify(props)) : NULL}\t` +
    `${scroll ?? NULL}\t${engagedMs ?? NULL}\t${timeText(page?.at) ?? NULL}\t` +
    `${revenue?.amountMinor ?? NULL}\t${revenue ? copyValue(revenue.currency) : NULL}\t` +
    (error || errorId ? errorValues(hit) : NO_ERROR)
  )
}

const errorValues = ({ errorId, error = {} }: EnrichedHit): string =>
  copyValues([
    errorId ?? null,
    error.message ?? null,
    error.stack ?? null,
    error.fileName ?? null,
    error.lineNumber ?? null,
    error.columnNumber ?? null,
  ])

function columnsOf<Field extends string, Row>(
  fields: readonly Field[],
  read: (row: Row, field: Field) => Value,
): Record<Field, Column<Row>> {
  const columns = fields.map(field => [field, (row: Row) => read(row, field)])
  return Object.fromEntries(columns) as Record<Field, Column<Row>>
}

export interface VisitorSession {
  visitor: Visitor
  session: Session
}

/** What new and touched sessions write. */
const SESSION_COLUMNS = {
  siteNo: row => row.visitor.siteNo,
  startedAt: row => timeText(row.session.startedAt),
  sessionNo: row => row.session.sessionNo,
  firstAt: row => timeText(row.session.firstAt),
  lastAt: row => timeText(row.session.lastAt),
  pageviews: row => row.session.pageviews,
  events: row => row.session.events,
  exitPath: row => row.session.exit?.path ?? '',
  exitAt: row => timeText(row.session.exit?.at),
  userId: row => row.session.userId,
  userSince: row => timeText(row.session.userSince),
} satisfies Record<string, Column<VisitorSession>>

/** One array for each named parameter of touch-sessions.sql. */
export const TOUCHED_SESSION_COLUMNS = {
  ...SESSION_COLUMNS,
  readPageviews: row => row.session.stored?.pageviews ?? 0,
  readEvents: row => row.session.stored?.events ?? 0,
  readDuration: row => row.session.stored?.durationMs ?? 0,
} satisfies Record<string, Column<VisitorSession>>

/** One array for each named parameter of insert-sessions.sql. */
export const NEW_SESSION_COLUMNS = {
  ...SESSION_COLUMNS,
  visitorNo: row => row.visitor.visitorNo,
  visitCount: row => row.session.visitCount,
  ...columnsOf<SessionAttribute, VisitorSession>(
    SESSION_ATTRIBUTES.map(fieldOf),
    (row, field) => row.session.dimensions[field],
  ),
} satisfies Record<string, Column<VisitorSession>>
