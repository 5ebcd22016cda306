import { z } from 'zod'
import { BLOCK_ROWS, type Download, MOST_ROWS, runningDownload } from '../../schema/download.ts'
import { type Page, pageFields } from '../../schema/pagination.ts'
import { text } from '../../schema/validation.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { KINDS, type PersonRow, type Ranked, readPeople } from './person-row.ts'
import { rankUsers } from './users.ts'
import { rankVisitors } from './visitors.ts'

export const PeopleQuery = StatsQuery.safeExtend({
  kind: z
    .enum(KINDS, { error: `must be one of ${KINDS.join(', ')}` })
    .prefault('visitors')
    .meta({ description: 'Visitors, or identified users.' }),
  search: text(255).optional().meta({
    description: 'With `kind=users`: part of the identifier or of the name, in any case.',
    example: 'ada',
  }),
  sort: z
    .enum(['last_seen', 'sessions'], { error: 'must be one of last_seen, sessions' })
    .prefault('last_seen')
    .meta({ description: 'Most first; `sessions` with `kind=users` only.' }),
  ...pageFields(25),
}).superRefine(({ kind, search, sort }, context) => {
  if (kind === 'users') return
  const refuse = (path: string) =>
    context.addIssue({ code: 'custom', path: [path], message: 'is possible with kind=users only' })
  if (search !== undefined && search !== '') refuse('search')
  if (sort === 'sessions') refuse('sort')
})
export type PeopleQuery = z.infer<typeof PeopleQuery>

/** Returns a page of the people of the range, by default those first who came last. */
export async function getPeople(
  services: LogServices,
  site: StatsSite,
  query: PeopleQuery,
): Promise<Page<PersonRow>> {
  const { resolved } = await resolveContext(services, site, query)
  const rank = async (): Promise<Page<Ranked>> =>
    query.kind === 'users'
      ? rankUsers(services, resolved, { ...query, search: query.search ?? '' })
      : rankVisitors(services, resolved, query)
  const download = runningDownload()
  const { rows, total } = await (download?.isWhole ? nextRanked(download, rank) : rank())
  return { rows: await readPeople(services, { site, resolved }, rows), total }
}

/** The whole list is ranked once, since its order changes with every hit; what the file says of people is read block by block. */
async function nextRanked(download: Download, rank: () => Promise<Page<Ranked>>): Promise<Page<Ranked>> {
  const position = await download.pin('people', async () => ({ ...(await rank()), passed: 0 }))
  const { rows, total, passed } = position
  // Too long for a file: what takes the block refuses it.
  if (total > MOST_ROWS) return { rows: [], total }
  position.passed += BLOCK_ROWS
  download.isComplete = position.passed >= rows.length
  return { rows: rows.slice(passed, position.passed), total }
}
