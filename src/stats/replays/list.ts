import type { z } from 'zod'
import { inSnapshot, type Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { count, decimal } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/query.ts'
import { completedQuery, isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { readFilteredSessions } from '../sessions/session-pages.ts'
import { presentSession, SessionRow, type StoredSession } from '../sessions/session-row.ts'
import { filteredQuery } from '../sql/filtered-query.ts'

export const ReplaysQuery = StatsQuery.safeExtend(pageFields(25))
export type ReplaysQuery = z.infer<typeof ReplaysQuery>

/** @see docs/metrics.md "Session replays" */
export const ReplayRow = SessionRow.extend({
  recorded_seconds: decimal('From the first recorded event to the latest.', 71.204),
  recordings: count('Pages that were recorded, each from a full snapshot on.', 2),
  chunks: count('Chunks in which they came.', 9),
  bytes: count('Size of the chunks as they are kept: compressed.', 84_210),
}).meta({ id: 'ReplayRow' })
export type ReplayRow = z.infer<typeof ReplayRow>

interface ReplayTotals {
  sessionNo: number
  recordedMs: number
  recordings: number
  chunks: number
  bytes: number
}

const TOTALS = `
  session_no as "sessionNo", (last_event_ms - first_event_ms)::float8 as "recordedMs", recordings, chunks, bytes::float8 as bytes`

const findReplays = query<{ siteNo: number; sessionNos: number[] }, ReplayTotals>(
  'find-replays',
  `select ${TOTALS} from session_replays where site_no = :siteNo::int and session_no = any(:sessionNos::bigint[])`,
)

/** A page of the sessions of a range that have a replay, the newest first; total on each row. */
const locateReplays = query<
  PageWindow & { siteNo: number; start: Date; end: Date },
  { sessionNo: number; sessionAt: Date }
>(
  'locate-replays',
  `select session_no as "sessionNo", session_at as "sessionAt"
  from session_replays
  where site_no = :siteNo::int and session_at >= :start::timestamptz and session_at < :end::timestamptz
  order by session_at desc, session_no desc
  limit :limit::int offset :offset::bigint`,
)

const countReplays = query<{ siteNo: number; start: Date; end: Date }, { total: number }>(
  'count-replays',
  `select count(*)::int as total
  from session_replays
  where site_no = :siteNo::int and session_at >= :start::timestamptz and session_at < :end::timestamptz`,
)

const countFilteredReplays = filteredQuery<undefined, { total: number }>(
  'count-filtered-replays',
  ['filtered_sessions'],
  'select count(*)::int as total from filtered_sessions',
)

/** Returns a page of the sessions that started in the range and have a replay, the newest first. */
export async function getReplays(
  services: LogServices,
  site: StatsSite,
  query: ReplaysQuery,
): Promise<Page<ReplayRow>> {
  const context = await resolveContext(services, site, query)
  const resolved = await completedQuery(context.resolved)
  const { siteNo, currency } = site
  const { rows, totals, total } = await inSnapshot(services.reads, async tx => {
    const page = isUnfiltered(resolved)
      ? await readUnfiltered(tx, resolved, currency, query)
      : await readFiltered(tx, resolved, currency, query)
    return { ...page, totals: await readTotals(tx, siteNo, page.rows) }
  })
  return { rows: rows.map(row => presentReplay(row, totals.get(row.sessionNo), siteNo, services)), total }
}

/** Totals of replays, by the numbers of their sessions. */
export async function readTotals(
  db: Queryable,
  siteNo: number,
  sessions: { sessionNo: number }[],
): Promise<Map<number, ReplayTotals>> {
  const sessionNos = sessions.map(({ sessionNo }) => sessionNo)
  const rows = sessionNos.length > 0 ? await findReplays(db, { siteNo, sessionNos }) : []
  return new Map(rows.map(row => [row.sessionNo, row]))
}

const NONE = { recordedMs: 0, recordings: 0, chunks: 0, bytes: 0 }

export function presentReplay(
  row: StoredSession,
  totals: Omit<ReplayTotals, 'sessionNo'> = NONE,
  siteNo: number,
  services: LogServices,
): ReplayRow {
  const { recordedMs, recordings, chunks, bytes } = totals
  const session = presentSession(row, siteNo, services)
  return { ...session, recorded_seconds: recordedMs / 1_000, recordings, chunks, bytes }
}

async function readUnfiltered(
  db: Queryable,
  resolved: ResolvedQuery,
  currency: string,
  query: ReplaysQuery,
): Promise<Page<StoredSession>> {
  const { siteNo, start, end } = keptPart(resolved)
  const [counted] = await countReplays(db, { siteNo, start, end })
  const located = await locateReplays(db, { siteNo, start, end, ...windowOf(query) })
  if (located.length === 0) return { rows: [], total: counted!.total }
  const rows = await readFilteredSessions(db, resolved, {
    params: { currency, limit: located.length, offset: 0 },
    // A bound on the time, which the chunks of the hypertable need.
    window: { start: located.at(-1)!.sessionAt, end: new Date(located[0]!.sessionAt.getTime() + 1) },
    sessionNos: located.map(({ sessionNo }) => sessionNo),
  })
  return { rows, total: counted!.total }
}

async function readFiltered(
  db: Queryable,
  resolved: ResolvedQuery,
  currency: string,
  query: ReplaysQuery,
): Promise<Page<StoredSession>> {
  const options = { hasReplay: true }
  const [counted] = await countFilteredReplays(db, resolved, options)
  const params = { currency, ...windowOf(query) }
  return { rows: await readFilteredSessions(db, resolved, { ...options, params }), total: counted!.total }
}
