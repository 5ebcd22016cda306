import { query } from '../../db/query.ts'
import { nextPart } from '../../schema/download.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { type Stretches, stretchesOf } from '../metrics/stretches.ts'
import type { StatsServices } from '../query-context.ts'
import type { PeopleFilter } from '../sql/narrowing.ts'
import type { StoredSession } from './session-row.ts'

/** Which sessions a list has. */
export interface SessionsSource {
  resolved: ResolvedQuery
  currency: string
  people?: PeopleFilter | undefined
}

interface Wanted extends Stretches {
  siteNo: number
  currency: string
  starts: Date[]
  sessionNos: number[]
}

const readSessionRows = query<Wanted, StoredSession>('read-sessions')

/**
 * Finds a page of the sessions that match the filters in columns, and reads their rows by key. A download finds the whole list once: a
 * session that starts meanwhile shifts nothing.
 * @returns undefined without filters, and where columns are not counted
 */
export async function readSessionsByKey(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  { resolved, currency, people }: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession> | undefined> {
  const { list, from, to } = await nextPart(
    'session keys',
    () => countFiltered(services, resolved, 'sessions', { ...windowOf(query), people }),
    found => found?.sessionNos.length ?? 0,
  )
  if (!list) return undefined
  const { total } = list
  if (from === to) return { rows: [], total }
  const startedAt = list.startedAt.subarray(from, to)
  const rows = await readSessionRows(services.reads, {
    siteNo: resolved.siteNo,
    currency,
    starts: Array.from(startedAt, at => new Date(at)),
    sessionNos: Array.from(list.sessionNos.subarray(from, to)),
    ...stretchesOf(startedAt),
  })
  return { rows, total }
}
