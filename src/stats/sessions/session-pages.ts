import { inSnapshot, type Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { readWatermark } from '../../rollups/watermarks.ts'
import { BLOCK_ROWS, type Download, nextPart, runningDownload } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { PeopleFilter } from '../counts/people.ts'
import {
  type LogPosition,
  type PageRange,
  type Quarter,
  spanOfPage,
  startOfLog,
} from '../event-log/log-position.ts'
import { isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import type { SessionKey } from './session-id.ts'
import { findSessionKeys, readSessionsByKey } from './session-keys.ts'
import type { StoredSession } from './session-row.ts'

type SiteSpan = TimeSpan & { siteNo: number }
type SessionsWindow = SiteSpan & PageWindow
/** Which counts by 15 minutes there are. */
type Counted = { refreshedTo: Date }

const findSessionsPage = query<SessionsWindow & Counted, PageRange>('locate-sessions-page')

/** Sessions by the 15-minute bucket of their start. */
const countSessionQuarters = query<SiteSpan & Counted, Quarter>(
  'count-session-quarters',
  `with {session_quarters}
  select (extract(epoch from bucket) * 1000)::bigint as bucket, sessions as hits from counted`,
)

/** Sessions since `start` that come after a place in the list of the newest first. */
const listSessionsAfter = query<
  PageWindow & { siteNo: number; start: Date; afterAt: Date; afterNo: number },
  SessionKey
>(
  'list-sessions-after',
  `select started_at as "startedAt", session_no as "sessionNo"
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at <= :afterAt::timestamptz
    and (started_at, session_no) < (:afterAt::timestamptz, :afterNo::bigint)
  order by started_at desc, session_no desc
  limit :limit::bigint
  offset :offset::bigint`,
)

/** Before the numbers of all sessions. */
const FIRST_NO = 0

async function countedBy(tx: Transaction): Promise<Counted> {
  const [state] = await readWatermark(tx, { aggregate: 'sessions' })
  return { refreshedTo: new Date(state?.refreshedTo ?? 0) }
}

/** Finds a page of all sessions from 15-minute counts; a page of people begins with it, too. Call it in a snapshot. */
export async function locateSessionsPage(tx: Transaction, window: SessionsWindow): Promise<PageRange> {
  const [range] = await findSessionsPage(tx, { ...window, ...(await countedBy(tx)) })
  return range!
}

type Reads = Pick<StatsServices, 'reads' | 'counter'>

/** Which sessions a list has. */
export interface SessionsSource {
  resolved: ResolvedQuery
  currency: string
  people?: PeopleFilter | undefined
}

/** Returns a page of the sessions that match the filters, the newest first, and their number. */
export async function readSessions(
  services: Reads,
  source: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession>> {
  const download = runningDownload()
  if (source.people || !isUnfiltered(source.resolved)) return readFound(services, source, query)
  return download?.isWhole ? readBlock(services, source, download) : readPage(services, source, query)
}

/** A download finds the whole list once: a session that starts meanwhile shifts nothing. */
async function readFound(
  services: Reads,
  { resolved, currency, people }: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession>> {
  const { list, from, to } = await nextPart(
    'session keys',
    () => findSessionKeys(services, resolved, people, windowOf(query)),
    ({ sessionNos }) => sessionNos.length,
  )
  const keys = Array.from(list.startedAt.subarray(from, to), (at, index) => ({
    startedAt: new Date(at),
    sessionNo: list.sessionNos[from + index]!,
  }))
  const { siteNo } = resolved
  return { rows: await readSessionsByKey(services.reads, { siteNo, currency }, keys), total: list.total }
}

/** Counts by 15 minutes say where the page lies, as for the event log: page 2,000 costs what page 1 does. */
const readPage = (
  { reads }: Reads,
  { resolved, currency }: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession>> =>
  inSnapshot(reads, async tx => {
    const { siteNo, start, end } = keptPart(resolved)
    const { limit, offset } = windowOf(query)
    const page = await locateSessionsPage(tx, { siteNo, start, end, limit, offset })
    const { total, skipped } = page
    const span = spanOfPage(page, { start, end })
    if (!span || skipped === null) return { rows: [], total }
    const keys = await listSessionsAfter(tx, {
      siteNo,
      start: span.start,
      afterAt: span.end,
      afterNo: FIRST_NO,
      limit,
      offset: skipped,
    })
    return { rows: await readSessionsByKey(tx, { siteNo, currency }, keys), total }
  })

/** Returns the next block of the whole list. It continues by key, as that of the event log. */
async function readBlock(
  { reads }: Reads,
  { resolved, currency }: SessionsSource,
  download: Download,
): Promise<Page<StoredSession>> {
  const { siteNo, start, end } = keptPart(resolved)
  const position: LogPosition<number> = await download.pin('sessions', async () => {
    const counting = inSnapshot(reads, async tx =>
      countSessionQuarters(tx, { siteNo, start, end, ...(await countedBy(tx)) }),
    )
    return startOfLog({ start, end }, await counting, FIRST_NO)
  })
  const next = position.next()
  const keys = await listSessionsAfter(reads, {
    siteNo,
    start: next.start,
    afterAt: next.after.at,
    afterNo: next.after.id,
    limit: BLOCK_ROWS,
    offset: 0,
  })
  position.passed(keys.map(({ startedAt, sessionNo }) => ({ at: startedAt, id: sessionNo })))
  download.isComplete = position.isAtEnd
  return { rows: await readSessionsByKey(reads, { siteNo, currency }, keys), total: position.total }
}
