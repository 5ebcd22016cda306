import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { nextPart } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { LogAsked } from '../counts/log-page.ts'
import type { HitKeys } from '../counts/shared/hit-keys.ts'
import { widenToMoments } from '../counts/shared/pages.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { type Stretches, stretchesOf } from '../metrics/stretches.ts'
import type { StatsServices } from '../query-context.ts'
import type { LoggedHit } from './log-pages.ts'

interface Wanted extends Stretches {
  siteNo: number
  times: Date[]
  sessionNos: number[]
  /** 1 for events that the service wrote. */
  ofService: number[]
  nths: number[]
  skipped: number
  limit: number
}

const readLogHits = query<Wanted, LoggedHit>('read-log-hits')

/**
 * Finds a page of a log in columns, and reads the rows of its moments: of those that pass the filters, their ids say which are on the
 * page. A download finds the whole list once: a hit that is stored meanwhile shifts nothing.
 */
export async function readLogByKey(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  query: PageQuery,
  options: Pick<LogAsked, 'types' | 'errorId'>,
): Promise<Page<LoggedHit>> {
  const window = windowOf(query)
  const { list, from, to } = await nextPart(
    'event log keys',
    () => countAsked(services, resolved, 'log', { ...options, ...window }),
    found => found.at.length,
  )
  const limit = Math.min(window.limit, to - from)
  const part = widenToMoments(list.at, { limit, offset: from + list.skipped })
  const keys = {
    at: list.at.subarray(part.from, part.to),
    sessionNos: list.sessionNos.subarray(part.from, part.to),
    isService: list.isService.subarray(part.from, part.to),
    nth: list.nth.subarray(part.from, part.to),
  }
  const rows = await readHitsByKey(services.reads, resolved.siteNo, keys, { skipped: part.skipped, limit })
  return { rows, total: list.total }
}

/**
 * Reads hits, the newest first, then those with the highest ids.
 * @param keys the newest first
 * @param page which of them; by default all
 */
export async function readHitsByKey(
  reads: Db,
  siteNo: number,
  { at, sessionNos, isService, nth }: HitKeys,
  page: Pick<Wanted, 'skipped' | 'limit'> = { skipped: 0, limit: at.length },
): Promise<LoggedHit[]> {
  if (at.length === 0) return []
  return readLogHits(reads, {
    siteNo,
    times: Array.from(at, time => new Date(time)),
    sessionNos: Array.from(sessionNos),
    ofService: Array.from(isService),
    nths: Array.from(nth),
    ...page,
    ...stretchesOf(at),
  })
}
