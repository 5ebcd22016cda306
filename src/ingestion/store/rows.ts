import { arrayText, timeText } from '../../infra/array-text.ts'
import type { EnrichedHit } from '../hit.ts'
import { type Dimensions, NO_DIMENSIONS } from './dimensions.ts'
import type { Placed, Session, Visitor } from './timeline.ts'

type Value = string | number | null
type Column<Row> = (row: Row) => Value

/** Session dimensions that hits can be filtered by; each hit stores a copy. In the order of insert-events.sql. */
const SHARED_COLUMNS: (keyof Dimensions)[] = [
  'entryPath',
  'referrer',
  'source',
  'channel',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmContent',
  'utmTerm',
  'browser',
  'os',
  'size',
  'country',
  'region',
  'city',
]

/** In the order of insert-sessions.sql. */
const DIMENSION_COLUMNS: (keyof Dimensions)[] = [
  ...SHARED_COLUMNS,
  'browserVersion',
  'osVersion',
  'language',
  'screen',
]

/** Most sent URLs are the path and its suffix, so only the suffix is stored; any other URL is stored whole. */
const isPathFirst = ({ url, path }: EnrichedHit) => path !== '' && url?.startsWith(path) === true

const EVENT_COLUMNS: Column<Placed>[] = [
  row => row.hit.siteNo,
  row => timeText(row.hit.at),
  row => row.hit.id,
  row => row.hit.type,
  row => (row.hit.type === 'error' ? (row.hit.error?.name ?? 'Error') : (row.hit.name ?? '')),
  row => row.visitor.visitorNo,
  row => row.session?.sessionNo ?? null,
  row => timeText(row.session?.startedAt),
  row => row.hit.hostname,
  row => row.hit.path,
  row => (isPathFirst(row.hit) ? '' : (row.hit.url ?? '')),
  row => (isPathFirst(row.hit) ? row.hit.url!.slice(row.hit.path.length) : ''),
  row => (row.page ? row.page.title : (row.hit.title ?? '')),
  ...SHARED_COLUMNS.map(name => (row: Placed) => (row.session?.dimensions ?? NO_DIMENSIONS)[name]),
  row => (row.hit.props ? JSON.stringify(row.hit.props) : null),
  row => row.hit.scroll ?? null,
  row => row.hit.engagedMs ?? null,
  row => timeText(row.page?.at),
  row => row.hit.revenue?.amountMinor ?? null,
  row => row.hit.revenue?.currency ?? null,
  row => row.hit.errorId ?? null,
  row => row.hit.error?.message ?? null,
  row => row.hit.error?.stack ?? null,
  row => row.hit.error?.fileName ?? null,
  row => row.hit.error?.lineNumber ?? null,
  row => row.hit.error?.columnNumber ?? null,
]

export interface VisitorSession {
  visitor: Visitor
  session: Session
}

const SESSION_KEY: Column<VisitorSession>[] = [
  row => row.visitor.siteNo,
  row => timeText(row.session.startedAt),
  row => row.session.sessionNo,
]

const SESSION_STATE: Column<VisitorSession>[] = [
  row => timeText(row.session.firstAt),
  row => timeText(row.session.lastAt),
  row => row.session.pageviews,
  row => row.session.events,
  row => row.session.userId,
  row => timeText(row.session.userSince),
]

const NEW_SESSION_COLUMNS: Column<VisitorSession>[] = [
  ...SESSION_KEY,
  ...SESSION_STATE,
  row => row.visitor.visitorNo,
  row => row.session.visitCount,
  row => row.session.dimensions.hostname,
  ...DIMENSION_COLUMNS.map(name => (row: VisitorSession) => row.session.dimensions[name]),
]

const TOUCHED_SESSION_COLUMNS: Column<VisitorSession>[] = [...SESSION_KEY, ...SESSION_STATE]

const VISITOR_STATE: Column<Visitor>[] = [
  visitor => timeText(visitor.firstSeenAt),
  visitor => visitor.sessionCount,
  visitor => timeText(visitor.newestSessionAt),
  visitor => visitor.pending?.identifier ?? null,
  visitor => timeText(visitor.pending?.since),
  // Send a number: the driver infers an array's type from its first element and would send boolean instead of boolean[].
  visitor => (visitor.pending?.splits ? 1 : 0),
]

const NEW_VISITOR_COLUMNS: Column<Visitor>[] = [
  visitor => visitor.visitorNo,
  visitor => visitor.siteNo,
  visitor => visitor.id,
  ...VISITOR_STATE,
]

const CHANGED_VISITOR_COLUMNS: Column<Visitor>[] = [visitor => visitor.visitorNo, ...VISITOR_STATE]

/** Converts rows to one array a column, the input of `unnest`. */
function transpose<Row>(columns: Column<Row>[], rows: Row[]): string[] {
  return columns.map(column => arrayText(rows.map(column)))
}

export const eventRows = (rows: Placed[]) => transpose(EVENT_COLUMNS, rows)
export const newSessionRows = (rows: VisitorSession[]) => transpose(NEW_SESSION_COLUMNS, rows)
export const touchedSessionRows = (rows: VisitorSession[]) => transpose(TOUCHED_SESSION_COLUMNS, rows)
export const newVisitorRows = (rows: Visitor[]) => transpose(NEW_VISITOR_COLUMNS, rows)
export const changedVisitorRows = (rows: Visitor[]) => transpose(CHANGED_VISITOR_COLUMNS, rows)

/** Returns each error of a batch once. All batches use the same order, which prevents deadlocks between them. */
export function errorRows(rows: Placed[]): string[] | undefined {
  const errors = new Map<string, { siteNo: number; id: string; message: string; name: string }>()
  for (const { hit } of rows) {
    if (hit.type !== 'error' || !hit.errorId) continue
    const { name = 'Error', message = name } = hit.error ?? {}
    const known = errors.get(hit.errorId)
    if (known && (known.name !== 'Error' || name === 'Error')) continue
    errors.set(hit.errorId, { siteNo: hit.siteNo, id: hit.errorId, message, name })
  }
  if (errors.size === 0) return undefined
  return transpose(
    [row => row.siteNo, row => row.id, row => row.message, row => row.name],
    [...errors.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
}

/** Returns the merged identity of each identified user in a batch; newer values win, and absent fields are null. */
export function identityRows(rows: Placed[]): string[] | undefined {
  const latest = new Map<string, Placed['hit'][]>()
  for (const { hit } of rows) {
    if (!hit.identity) continue
    const key = `${hit.siteNo}/${hit.identity.identifier}`
    latest.set(key, [...(latest.get(key) ?? []), hit])
  }
  if (latest.size === 0) return undefined
  const merged = [...latest.values()].map(hits => {
    // Rows are in time order, so that newer values overwrite older ones.
    const identity = Object.assign({}, ...hits.map(hit => hit.identity)) as NonNullable<
      Placed['hit']['identity']
    >
    return { siteNo: hits[0]!.siteNo, at: hits.at(-1)!.at, identity }
  })
  return transpose(
    [
      row => row.siteNo,
      row => row.identity.identifier,
      row => row.identity.name ?? null,
      row => row.identity.avatar ?? null,
      row => (row.identity.custom ? JSON.stringify(row.identity.custom) : null),
      row => timeText(row.at),
    ],
    merged,
  )
}
