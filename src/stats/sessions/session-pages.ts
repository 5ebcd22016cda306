import type { Page, PageQuery } from '../../platform/schema/pagination.ts'
import type { PeopleFilter } from '../counts/people.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { nextOfList } from '../metrics/list-by-day.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'
import { findSessionKeys, readSessionsByKey } from './session-keys.ts'
import type { StoredSession } from './session-row.ts'

/** Which sessions a list has. */
export interface SessionsSource {
  resolved: ResolvedQuery
  currency: string
  people?: PeopleFilter | undefined
}

/**
 * Returns a page of the sessions that match the filters, the newest first, and their number.
 * @throws AppError as `countAsked`
 */
export async function readSessions(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  { resolved, currency, people }: SessionsSource,
  query: PageQuery,
): Promise<Page<StoredSession>> {
  const hasAll = !people && sourceOf('sessions', resolved) === 'rollups'
  const { list, from, to } = await nextOfList(
    services,
    {
      resolved: keptPart(resolved),
      unfiltered: hasAll ? 'sessions' : undefined,
      find: (part, page) =>
        hasAll
          ? countUntilRolledUp(services, resolved, 'sessions', page, { part })
          : findSessionKeys(services, part, people, page),
      lengthOf: ({ sessionNos }) => sessionNos.length,
    },
    query,
  )
  const keys = Array.from(list.startedAt.subarray(from, to), (at, index) => ({
    startedAt: new Date(at),
    sessionNo: list.sessionNos[from + index]!,
  }))
  const rows = await readSessionsByKey(services.reads, { siteNo: resolved.siteNo, currency }, keys)
  return { rows, total: list.total }
}
