import type { Queryable } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { EventType } from '../../dimensions/event-types.ts'
import { type LogEnd, readLogEnd } from '../../rollups/recent/recent-log.ts'
import { BLOCK_ROWS, type Download, runningDownload } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import type { Services } from '../../services.ts'
import { completedQuery, isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { type PageRange, pageRangeOf, type Quarter } from '../metrics/page-range.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'
import type { Actor } from './actor.ts'
import { readLogByKey } from './log-keys.ts'
import { type LogPosition, startOfLog } from './log-position.ts'

/** Services that log queries use; the config is needed for the links to pictures. */
export type LogServices = StatsServices & Pick<Services, 'config'>

type LogParams = PageWindow & { types: string[] }

const locateLogPage = query<LogParams & LogEnd & { siteNo: number; start: Date }, PageRange>(
  'locate-log-page',
)

const locateFilteredLogPage = filteredQuery<LogParams, PageRange>('locate-filtered-log-page', [
  'filtered_hits',
])

/** Hits of `types` by 15-minute bucket. */
const countFilteredQuarters = filteredQuery<{ types: string[] }, Quarter>(
  'count-filtered-quarters',
  ['filtered_hits'],
  `select (extract(epoch from time_bucket(interval '15 minutes', at)) * 1000)::bigint as bucket, count(*) as hits
  from filtered_hits
  where type = any((select types from params)::text[])
  group by 1`,
)

/** Hits of `types`, the newest first. */
export const readFilteredLog = filteredQuery<LogParams, LoggedHit>('read-filtered-log', ['filtered_hits'])

/** A hit with its visitor; the identity is the present one of the session, not the one at the time of the hit. */
export interface LoggedHit extends Actor {
  id: string
  type: EventType
  name: string
  props: Record<string, string> | null
  errorId: string | null
  errorMessage: string | null
  errorStack: string | null
  errorFile: string | null
  errorLine: string | null
  errorColumn: string | null
}

/**
 * Returns a page of the hits that match the filters, the newest first, with the total number of hits.
 * @param options.errorId only occurrences of this error
 */
export const readLog = async (
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  resolved: ResolvedQuery,
  query: PageQuery,
  options: { types: EventType[]; errorId?: string },
): Promise<Page<LoggedHit>> =>
  isUnfiltered(resolved) && options.errorId === undefined
    ? readByQuarters(services, resolved, query, options)
    : readLogByKey(services, keptPart(resolved), query, options)

/**
 * Counts hits by 15-minute bucket first: this gives the total and the time range of the page, so that page 2,000 reads as few
 * rows as page 1.
 */
async function readByQuarters(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  asked: ResolvedQuery,
  query: PageQuery,
  { types, errorId }: { types: EventType[]; errorId?: string },
): Promise<Page<LoggedHit>> {
  const { reads, slices } = services
  const resolved = await completedQuery(asked)
  const download = runningDownload()
  if (download?.isWhole) return readBlock(services, resolved, download, { types, errorId })
  const params = { types, ...windowOf(query) }

  async function readPage(
    db: Queryable,
    { total, start, end, skipped }: PageRange,
  ): Promise<Page<LoggedHit>> {
    if (start === null || end === null || skipped === null) return { rows: [], total }
    const rows = await readFilteredLog(db, resolved, {
      params: { ...params, offset: skipped },
      window: { start, end },
      errorId,
    })
    return { rows, total }
  }

  const isCounted = isUnfiltered(resolved) && errorId === undefined
  if (slices && !isCounted) {
    const quarters = await readSlices(services, countFilteredQuarters, resolved, {
      params: { types },
      errorId,
    })
    return readPage(
      reads,
      pageRangeOf(
        mergeSlices(quarters, ({ bucket }) => bucket),
        params,
      ),
    )
  }
  // Without one snapshot, a hit that is stored between the two statements would shift the page.
  return inSnapshot(reads, async transaction => {
    const { siteNo, start, end } = keptPart(resolved)
    const [range] = isCounted
      ? await locateLogPage(transaction, {
          siteNo,
          start,
          ...params,
          ...(await readLogEnd(transaction, siteNo, { start: start.getTime(), end: end.getTime() })),
        })
      : await locateFilteredLogPage(transaction, resolved, { params, errorId })
    return readPage(transaction, range!)
  })
}

/**
 * Returns the next block of the whole list. It continues by key, so a hit that is stored meanwhile shifts nothing: every hit that
 * was there at the start is in one block, and a hit that comes later in at most one.
 */
async function readBlock(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  download: Download,
  { types, errorId }: { types: EventType[]; errorId: string | undefined },
): Promise<Page<LoggedHit>> {
  const position: LogPosition = await download.pin('event log', async () =>
    startOfLog(
      keptPart(resolved),
      mergeSlices(
        await readSlices(services, countFilteredQuarters, resolved, { params: { types }, errorId }),
        ({ bucket }) => bucket,
      ),
    ),
  )
  const rows = await readFilteredLog(services.reads, resolved, {
    params: { types, limit: BLOCK_ROWS, offset: 0 },
    errorId,
    ...position.next(),
  })
  position.passed(rows)
  download.isComplete = position.isAtEnd
  return { rows, total: position.total }
}
