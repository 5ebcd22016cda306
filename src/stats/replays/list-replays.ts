import type { z } from 'zod'
import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { count, decimal } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import type { TimeSpan } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { sourceOf } from '../planner.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import type { SessionKey } from '../sessions/session-id.ts'
import { readSessionsByKey } from '../sessions/session-keys.ts'
import { presentSession, SessionRow, type StoredSession } from '../sessions/session-row.ts'

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

type SiteSpan = TimeSpan & { siteNo: number }

/** Sessions of a range that have a replay, the newest first. */
const listReplays = query<SiteSpan & PageWindow, SessionKey>(
  'list-replays',
  `select session_no as "sessionNo", session_at as "startedAt"
  from session_replays
  where site_no = :siteNo::int and session_at >= :start::timestamptz and session_at < :end::timestamptz
  order by session_at desc, session_no desc
  limit :limit::bigint offset :offset::bigint`,
)

const countReplays = query<SiteSpan, { total: number }>(
  'count-replays',
  `select count(*)::int as total
  from session_replays
  where site_no = :siteNo::int and session_at >= :start::timestamptz and session_at < :end::timestamptz`,
)

/** Returns a page of the sessions that started in the range and have a replay, the newest first. */
export async function getReplays(
  services: LogServices,
  site: StatsSite,
  query: ReplaysQuery,
): Promise<Page<ReplayRow>> {
  const { reads } = services
  const { siteNo } = site
  const { resolved } = await resolveContext(services, site, query)
  const find = sourceOf('recordings', resolved) === 'rows' ? findUnfiltered : findFiltered
  const { rows: keys, total } = await find(services, keptPart(resolved), query)
  const rows = await readSessionsByKey(reads, site, keys)
  const totals = await readTotals(reads, siteNo, rows)
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

async function findUnfiltered(
  { reads }: LogServices,
  { siteNo, start, end }: ResolvedQuery,
  query: ReplaysQuery,
): Promise<Page<SessionKey>> {
  const span = { siteNo, start, end }
  const [counted] = await countReplays(reads, span)
  return { rows: await listReplays(reads, { ...span, ...windowOf(query) }), total: counted!.total }
}

/** The recordings of a range are few: columns say which of their sessions count. */
async function findFiltered(
  services: LogServices,
  resolved: ResolvedQuery,
  query: ReplaysQuery,
): Promise<Page<SessionKey>> {
  const { siteNo, start, end } = resolved
  const all = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  const recorded = await listReplays(services.reads, { siteNo, start, end, ...all })
  const sessionNos = recorded.map(({ sessionNo }) => sessionNo)
  const matching = new Set(await countAsked(services, resolved, 'matching', sessionNos))
  const found = recorded.filter(({ sessionNo }) => matching.has(sessionNo))
  const { limit, offset } = windowOf(query)
  return { rows: found.slice(offset, offset + limit), total: found.length }
}
