import { timeText } from '../../db/array-text.ts'
import {
  COPIED_COLUMNS,
  type CopiedField,
  fieldOf,
  SESSION_ATTRIBUTES,
  type SessionAttribute,
} from '../../dimensions/dimensions.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Session, Visitor } from './batch-context.ts'
import { NO_DIMENSIONS } from './dimensions.ts'
import type { SessionizedHit } from './session-rules.ts'

type Value = string | number | null
type Column<Row> = (row: Row) => Value

/** Most sent URLs are the path and its suffix, so only the suffix is stored; any other URL is stored whole. */
const isPathFirst = ({ url, path }: EnrichedHit) => path !== '' && url?.startsWith(path) === true

/** One array for each named parameter of insert-events.sql. */
export const EVENT_COLUMNS = {
  siteNo: row => row.hit.siteNo,
  at: row => timeText(row.hit.at),
  id: row => row.hit.id,
  type: row => row.hit.type,
  name: row => (row.hit.type === 'error' ? (row.hit.error?.name ?? 'Error') : (row.hit.name ?? '')),
  visitorNo: row => row.visitor.visitorNo,
  sessionNo: row => row.session?.sessionNo ?? null,
  sessionAt: row => timeText(row.session?.startedAt),
  hostname: row => row.hit.hostname,
  path: row => row.hit.path,
  url: row => (isPathFirst(row.hit) ? '' : (row.hit.url ?? '')),
  query: row => (isPathFirst(row.hit) ? row.hit.url!.slice(row.hit.path.length) : ''),
  title: row => (row.page ? row.page.title : (row.hit.title ?? '')),
  ...columnsOf<CopiedField, SessionizedHit>(
    COPIED_COLUMNS.map(fieldOf),
    (row, field) => (row.session?.dimensions ?? NO_DIMENSIONS)[field],
  ),
  props: row => (row.hit.props ? JSON.stringify(row.hit.props) : null),
  scroll: row => row.hit.scroll ?? null,
  engagedMs: row => row.hit.engagedMs ?? null,
  pageAt: row => timeText(row.page?.at),
  revenueMinor: row => row.hit.revenue?.amountMinor ?? null,
  revenueCurrency: row => row.hit.revenue?.currency ?? null,
  errorId: row => row.hit.errorId ?? null,
  errorMessage: row => row.hit.error?.message ?? null,
  errorStack: row => row.hit.error?.stack ?? null,
  errorFile: row => row.hit.error?.fileName ?? null,
  errorLine: row => row.hit.error?.lineNumber ?? null,
  errorColumn: row => row.hit.error?.columnNumber ?? null,
} satisfies Record<string, Column<SessionizedHit>>

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

/** One array for each named parameter of touch-sessions.sql. */
export const TOUCHED_SESSION_COLUMNS = {
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

/** One array for each named parameter of insert-sessions.sql. */
export const NEW_SESSION_COLUMNS = {
  ...TOUCHED_SESSION_COLUMNS,
  visitorNo: row => row.visitor.visitorNo,
  visitCount: row => row.session.visitCount,
  ...columnsOf<SessionAttribute, VisitorSession>(
    SESSION_ATTRIBUTES.map(fieldOf),
    (row, field) => row.session.dimensions[field],
  ),
} satisfies Record<string, Column<VisitorSession>>
