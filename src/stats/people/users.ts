import { query } from '../../db/query.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { searchPattern } from '../../rollups/value-search.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'

export interface RankedUser {
  userId: string
  sessions: number
  /** Of the newest session that started in the range. */
  startedAt: Date
}

export type UserSort = 'last_seen' | 'sessions'

interface UserParams extends PageWindow {
  sort: string
  /** As `searchPattern` gives it. */
  search: string
}

const rankFilteredUsers = filteredQuery<UserParams, RankedUser & { total: number }>('rank-filtered-users', [
  'filtered_sessions',
])

const findNamedUsers = query<{ siteNo: number; pattern: string }, { userId: string }>(
  'find-named-users',
  `select identifier as "userId" from identities where site_no = :siteNo::int and name ~ :pattern::text`,
)

/** All rows of one slice. */
const EVERYTHING = 1_000_000_000

/**
 * Returns a page of the users of sessions that started in the range and match the filters, and their number.
 * @param search part of the identifier or of the name; empty: all users
 */
export async function rankUsers(
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  resolved: ResolvedQuery,
  { sort, search, ...page }: PageQuery & { sort: UserSort; search: string },
): Promise<Page<RankedUser>> {
  const window = windowOf(page)
  const pattern = searchPattern(search)
  const counted = await findByColumns(services, resolved, { sort, search, pattern, ...window })
  if (counted) return counted
  const params = { sort, search: pattern }
  if (services.slices) {
    const everything = { ...params, limit: EVERYTHING, offset: 0 }
    const rows = await readSlices(services, rankFilteredUsers, resolved, { params: everything })
    return pageOf(rows, sort, window)
  }
  const { reads } = services
  const rows = await rankFilteredUsers(reads, resolved, { params: { ...params, ...window } })
  if (rows.length > 0 || window.offset === 0) return { rows, total: rows[0]?.total ?? 0 }
  const [first] = await rankFilteredUsers(reads, resolved, { params: { ...params, limit: 1, offset: 0 } })
  return { rows, total: first?.total ?? 0 }
}

/** No summary has users: columns are asked without filters, too. */
async function findByColumns(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  { pattern, ...asked }: PageWindow & { sort: UserSort; search: string; pattern: string },
): Promise<Page<RankedUser> | undefined> {
  const { counter, reads } = services
  if (!counter) return undefined
  const named = pattern === '' ? [] : await findNamedUsers(reads, { siteNo: resolved.siteNo, pattern })
  const found = await countAsked(services, keptPart(resolved), 'users', {
    ...asked,
    named: named.map(({ userId }) => userId),
  })
  if (!found) return undefined
  const rows = found.users.map(user => ({ ...user, startedAt: new Date(user.startedAt) }))
  return { rows, total: found.total }
}

function pageOf(counted: RankedUser[], sort: UserSort, { limit, offset }: PageWindow): Page<RankedUser> {
  const users = new Map<string, RankedUser>()
  for (const { userId, sessions, startedAt } of counted) {
    const before = users.get(userId)
    users.set(userId, {
      userId,
      sessions: sessions + (before?.sessions ?? 0),
      startedAt: before && before.startedAt > startedAt ? before.startedAt : startedAt,
    })
  }
  const rows = [...users.values()].sort(
    (a, b) =>
      (sort === 'sessions' ? b.sessions - a.sessions : 0) ||
      b.startedAt.getTime() - a.startedAt.getTime() ||
      compareTexts(a.userId, b.userId),
  )
  return { rows: rows.slice(offset, offset + limit), total: rows.length }
}
