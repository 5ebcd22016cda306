import { inSnapshot, type Queryable, type Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { FOREVER } from '../../rollups/daily/row-slice.ts'
import { readCountedFrom } from '../../rollups/session-counts.ts'
import { readWatermark } from '../../rollups/watermarks.ts'
import { BLOCK_ROWS, type Download, runningDownload } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import { type LogPosition, startOfLog } from '../event-log/log-position.ts'
import { completedQuery, isUnfiltered, keptPart } from '../filters/resolved-query.ts'
import { type PageRange, pageRangeOf } from '../metrics/page-range.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import { hasHitFilters } from '../sql/conditions.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'
import { readSessionsByKey, type SessionsSource } from './session-keys.ts'
import type { StoredSession } from './session-row.ts'

interface SessionsWindow extends PageWindow {
  siteNo: number
  start: Date
  end: Date
}

const findSessionsPage = query<SessionsWindow & { refreshedTo: Date; countedFrom: Date }, PageRange>(
  'locate-sessions-page',
)

/** Finds a page of all sessions from 15-minute counts; a page of people begins with it, too. Call it in a snapshot. */
export async function locateSessionsPage(tx: Transaction, window: SessionsWindow): Promise<PageRange> {
  const [[state], countedFrom] = await Promise.all([
    readWatermark(tx, { aggregate: 'sessions' }),
    readCountedFrom(tx),
  ])
  const [range] = await findSessionsPage(tx, {
    ...window,
    refreshedTo: new Date(state?.refreshedTo ?? 0),
    countedFrom: new Date(Math.min(countedFrom, FOREVER)),
  })
  return range!
}

const locateFilteredSessionsPage = filteredQuery<PageWindow, PageRange>('locate-filtered-sessions-page', [
  'filtered_sessions',
])

/** Sessions by the 15-minute bucket of their start. */
const countSessionQuarters = filteredQuery<undefined, { bucket: number; hits: number }>(
  'count-session-quarters',
  ['filtered_sessions'],
  `select
    (extract(epoch from time_bucket(interval '15 minutes', started_at)) * 1000)::bigint as bucket,
    count(*) as hits
  from filtered_sessions
  group by 1`,
)

export const readFilteredSessions = filteredQuery<PageWindow & { currency: string }, StoredSession>(
  'read-filtered-sessions',
  ['filtered_sessions'],
)

/** Returns a page of the sessions that match the filters, the newest first, and their number. */
export const readSessions = async (
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  source: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession>> =>
  (await readSessionsByKey(services, source, query)) ?? readByQuarters(services, source, query)

/** Counts by 15 minutes say where the page lies, as for the event log: page 2,000 costs what page 1 does. */
async function readByQuarters(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  { resolved: asked, currency, people }: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession>> {
  const { reads, slices } = services
  const resolved = await completedQuery(asked)
  const download = runningDownload()
  if (download?.isWhole) return readBlock(services, { resolved, currency, people }, download)
  const params = windowOf(query)

  async function readPage(
    db: Queryable,
    { total, start, end, skipped }: PageRange,
  ): Promise<Page<StoredSession>> {
    if (start === null || end === null || skipped === null) return { rows: [], total }
    const rows = await readFilteredSessions(db, resolved, {
      params: { currency, limit: params.limit, offset: skipped },
      window: { start, end },
      people,
    })
    return { rows, total }
  }

  const isCounted = isUnfiltered(resolved) && people === undefined
  // Sessions of a visitor have an index; those of a filter may be anywhere.
  if (slices && !isUnfiltered(resolved)) {
    const quarters = await readSlices(services, countSessionQuarters, resolved, { people })
    return readPage(
      reads,
      pageRangeOf(
        mergeSlices(quarters, ({ bucket }) => bucket),
        params,
      ),
    )
  }
  return inSnapshot(reads, async transaction => {
    const { siteNo, start, end } = keptPart(resolved)
    if (isCounted)
      return readPage(transaction, await locateSessionsPage(transaction, { siteNo, start, end, ...params }))
    const [range] = await locateFilteredSessionsPage(transaction, resolved, { params, people })
    return readPage(transaction, range!)
  })
}

/** Sessions that one statement reads for a download with filters on hits or goals: each looks for matching hits in the whole range. */
const COSTLY_ROWS = 10 * BLOCK_ROWS

/** Where a download of sessions is: `waiting` are read, but in no block yet. */
interface SessionsPosition {
  log: LogPosition<number>
  most: number
  waiting: StoredSession[]
}

/** Returns the next block of the whole list. It continues by key, as that of the event log. */
async function readBlock(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  { resolved, currency, people }: SessionsSource,
  download: Download,
): Promise<Page<StoredSession>> {
  const position: SessionsPosition = await download.pin('sessions', async () => {
    const quarters = await readSlices(services, countSessionQuarters, resolved, { people })
    const most = hasHitFilters(resolved) ? COSTLY_ROWS : BLOCK_ROWS
    const counted = mergeSlices(quarters, ({ bucket }) => bucket)
    return { log: startOfLog<number>(keptPart(resolved), counted, most), most, waiting: [] }
  })
  const { log, most } = position
  if (position.waiting.length === 0) {
    const { window, after } = log.next()
    position.waiting = await readFilteredSessions(services.reads, resolved, {
      params: { currency, limit: most, offset: 0 },
      people,
      window,
      afterSession: after,
    })
    log.passed(position.waiting.map(({ startedAt, sessionNo }) => ({ at: startedAt, id: sessionNo })))
  }
  const rows = position.waiting.splice(0, BLOCK_ROWS)
  download.isComplete = log.isAtEnd && position.waiting.length === 0
  return { rows, total: log.total }
}
