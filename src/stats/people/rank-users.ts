import { query } from '../../platform/db/query.ts'
import { type Page, type PageQuery, windowOf } from '../../platform/schema/pagination.ts'
import { searchPattern } from '../../storage/rollups/value-search.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { UsersAsked } from '../counts/user-page.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'

const findNamedUsers = query<{ siteNo: number; pattern: string }, { userId: string }>(
  'find-named-users',
  `select identifier as "userId" from identities where site_no = :siteNo::int and name ~ :pattern::text`,
)

/**
 * Returns a page of the users of sessions that started in the range and match the filters, with the start of their newest, and their number. No summary has users: columns
 * are asked without filters, too.
 * @param search part of the identifier or of the name; empty: all users
 */
export async function rankUsers(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  { sort, search, ...page }: PageQuery & Pick<UsersAsked, 'sort' | 'search'>,
): Promise<Page<{ userId: string; startedAt: Date }>> {
  const pattern = searchPattern(search)
  const { siteNo } = resolved
  const named = pattern === '' ? [] : await findNamedUsers(services.reads, { siteNo, pattern })
  const { users, total } = await countAsked(services, keptPart(resolved), 'users', {
    sort,
    search,
    named: named.map(({ userId }) => userId),
    ...windowOf(page),
  })
  return { rows: users.map(({ userId, startedAt }) => ({ userId, startedAt: new Date(startedAt) })), total }
}
