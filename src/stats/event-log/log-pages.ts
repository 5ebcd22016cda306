import { inSnapshot, type Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { EventType } from '../../dimensions/event-types.ts'
import { type LogEnd, readLogEnd } from '../../rollups/log-end.ts'
import { BLOCK_ROWS, type Download, runningDownload } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import type { Services } from '../../services.ts'
import type { TimeSpan } from '../../time/range.ts'
import { isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import type { Actor } from './actor.ts'
import { readLogByKey } from './log-keys.ts'
import { type LogPosition, type PageRange, type Quarter, spanOfPage, startOfLog } from './log-position.ts'

/** Services that log queries use; the config is needed for the links to pictures. */
export type LogServices = StatsServices & Pick<Services, 'config'>

interface Wanted {
  siteNo: number
  types: EventType[]
  start: Date
}

const locateLogPage = query<Wanted & PageWindow & LogEnd, PageRange>('locate-log-page')

/** Hits of `types` since `start` by 15-minute bucket. */
const countLogQuarters = query<Wanted & LogEnd, Quarter>(
  'count-log-quarters',
  `with {log_quarters}
  select (extract(epoch from bucket) * 1000)::bigint as bucket, hits::bigint as hits from by_bucket`,
)

/** Hits of `types` since `start` that come after a place in the list, the newest first. */
const readHitsAfter = query<Wanted & PageWindow & { afterAt: Date; afterId: string }, LoggedHit>(
  'read-hits-after',
)

/** Before the ids of all hits. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

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

type Reads = Pick<StatsServices, 'reads' | 'counter'>

/**
 * Returns a page of the hits that match the filters, the newest first, with the total number of hits.
 * @param options.errorId only occurrences of this error
 */
export async function readLog(
  services: Reads,
  resolved: ResolvedQuery,
  query: PageQuery,
  options: { types: EventType[]; errorId?: string },
): Promise<Page<LoggedHit>> {
  const kept = keptPart(resolved)
  if (!isUnfiltered(resolved) || options.errorId !== undefined)
    return readLogByKey(services, kept, query, options)
  const download = runningDownload()
  return download?.isWhole
    ? readBlock(services, kept, download, options.types)
    : readPage(services, kept, query, options.types)
}

/**
 * Counts hits by 15-minute bucket first: this gives the total and the time range of the page, so that page 2,000 reads as few
 * rows as page 1. Without one snapshot, a hit that is stored between the two statements would shift the page.
 */
const readPage = (
  { reads }: Reads,
  { siteNo, start, end }: ResolvedQuery,
  query: PageQuery,
  types: EventType[],
): Promise<Page<LoggedHit>> =>
  inSnapshot(reads, async tx => {
    const { limit, offset } = windowOf(query)
    const ofLog = await readLogEnd(tx, siteNo, { start: start.getTime(), end: end.getTime() })
    const [range] = await locateLogPage(tx, { siteNo, types, start, limit, offset, ...ofLog })
    const { total, skipped } = range!
    const span = spanOfPage(range!, { start, end })
    if (!span || skipped === null) return { rows: [], total }
    return { rows: await readNewestHits(tx, { siteNo, types, ...span, limit, offset: skipped }), total }
  })

/** Reads hits of a time span, the newest first. */
export const readNewestHits = (
  db: Queryable,
  { end, ...wanted }: Wanted & PageWindow & TimeSpan,
): Promise<LoggedHit[]> => readHitsAfter(db, { ...wanted, afterAt: end, afterId: FIRST_ID })

/**
 * Returns the next block of the whole list. It continues by key, so a hit that is stored meanwhile shifts nothing: every hit that
 * was there at the start is in one block, and a hit that comes later in at most one.
 */
async function readBlock(
  { reads }: Reads,
  { siteNo, ...span }: ResolvedQuery,
  download: Download,
  types: EventType[],
): Promise<Page<LoggedHit>> {
  const position: LogPosition<string> = await download.pin('event log', async () => {
    const counting = inSnapshot(reads, async tx => {
      const ofLog = await readLogEnd(tx, siteNo, { start: span.start.getTime(), end: span.end.getTime() })
      return countLogQuarters(tx, { siteNo, types, start: span.start, ...ofLog })
    })
    return startOfLog(span, await counting, FIRST_ID)
  })
  const { start, after } = position.next()
  const place = { start, afterAt: after.at, afterId: after.id, offset: 0 }
  const rows = await readHitsAfter(reads, { siteNo, types, limit: BLOCK_ROWS, ...place })
  position.passed(rows)
  download.isComplete = position.isAtEnd
  return { rows, total: position.total }
}
