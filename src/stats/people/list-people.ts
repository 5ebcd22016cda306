import { z } from 'zod'
import { nextPart } from '../../platform/schema/download.ts'
import { type Page, pageFields } from '../../platform/schema/pagination.ts'
import { text } from '../../platform/schema/validation.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { KINDS, type PersonRow, type Ranked, readPeople } from './person-row.ts'
import { rankUsers } from './rank-users.ts'
import { rankVisitors } from './rank-visitors.ts'

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
  const { list, from, to } = await nextPart('people', rank, ({ rows }) => rows.length)
  const rows = await readPeople(services, { site, resolved }, list.rows.slice(from, to))
  return { rows, total: list.total }
}
