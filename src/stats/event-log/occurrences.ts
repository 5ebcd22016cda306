import { query } from '../../db/query.ts'
import { ERRORS } from '../../dimensions/rolled-up.ts'
import { runningDownload } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { locateRolledUp } from '../metrics/value-times.ts'
import type { StatsServices } from '../query-context.ts'
import { type LoggedHit, readLog } from './log-pages.ts'

interface Occurrences {
  siteNo: number
  errorId: string
  times: Date[]
  /** The earliest and the latest of `times`: chunks beyond are left out. */
  first: Date
  last: Date
  limit: number
  skipped: number
}

const readOccurrencesAt = query<Occurrences, LoggedHit>('read-occurrences')

/**
 * Returns a page of the occurrences of an error, the newest first, with their total number. Without filters, daily rollups know
 * their times, and only the hits of the page are read.
 */
export async function readOccurrences(
  services: Pick<StatsServices, 'reads' | 'slices' | 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  page: PageQuery,
  errorId: string,
): Promise<Page<LoggedHit>> {
  const { limit, offset } = windowOf(page)
  const located = runningDownload()?.isWhole
    ? undefined
    : await locateRolledUp(services, resolved, { dimension: ERRORS, value: errorId }, { limit, offset })
  if (!located) return readLog(services, resolved, page, { types: ['error'], errorId })
  const { total, skipped } = located
  const times = located.times.map(at => new Date(at))
  if (times.length === 0) return { rows: [], total }
  const [last, first] = [times[0]!, times.at(-1)!]
  const { siteNo } = resolved
  const rows = await readOccurrencesAt(services.reads, {
    siteNo,
    errorId,
    times,
    first,
    last,
    limit,
    skipped,
  })
  return { rows, total }
}
