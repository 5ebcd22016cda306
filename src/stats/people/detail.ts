import { z } from 'zod'
import { query } from '../../db/query.ts'
import { PersonKey } from '../../people/schema.ts'
import { label, uuid } from '../../schema/fields.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
import { findPeopleFilter, noSuchPerson } from './find.ts'
import { PersonRow, readPerson } from './person-row.ts'

export const PersonQuery = StatsQuery.safeExtend(PersonKey.shape)
export type PersonQuery = z.infer<typeof PersonQuery>

const MOST_NAMES = 100

/** @see docs/metrics.md "One person" */
export const Person = PersonRow.extend({
  custom: z
    .record(z.string(), z.string())
    .nullable()
    .meta({
      description: 'Properties of the user, as they were sent last; null without any.',
      example: { plan: 'team' },
    }),
  visitors: z.array(uuid('A visitor.')).meta({
    description: `Visitors that the person was, by their newest session; at most ${MOST_NAMES}.`,
  }),
  users: z.array(label('A user.', 'user-42')).meta({
    description: `Users that the person was identified as, by their newest session; at most ${MOST_NAMES}.`,
  }),
}).meta({ id: 'Person' })
export type Person = z.infer<typeof Person>

/** Who had the filtered sessions. */
const listNames = filteredQuery<undefined, { visitorId: string | null; userId: string; lastAt: Date }>(
  'list-names',
  ['filtered_sessions'],
  `select
    (select id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = names.visitor_no) as "visitorId",
    user_id as "userId",
    last_at as "lastAt"
  from (
    select visitor_no, user_id, max(started_at) as last_at
    from filtered_sessions
    group by visitor_no, user_id
    order by max(started_at) desc
    limit 1000
  ) as names`,
)

const findCustom = query<{ siteNo: number; identifier: string }, { custom: Record<string, string> | null }>(
  'find-custom-of-user',
  'select custom from identities where site_no = :siteNo::int and identifier = :identifier::text',
)

/**
 * Returns a visitor or a user with what their sessions of the range say.
 * @throws AppError `not_found` for an unknown person; with a share that has filters, also for one without such sessions
 */
export async function getPerson(
  services: LogServices,
  site: StatsSite,
  { person, ...query }: PersonQuery,
): Promise<Person> {
  const people = await findPeopleFilter(services, site.siteNo, person)
  const { resolved } = await resolveContext(services, site, query)
  const row = await readPerson(services, { site, resolved }, people)
  if (row.sessions === 0 && (services.grant?.filters.length ?? 0) > 0) throw noSuchPerson()
  // Sessions of a visitor have an index.
  const names =
    'visitorNos' in people
      ? await listNames(services.reads, resolved, { people })
      : await readSlices(services, listNames, resolved, { people })
  const newestFirst = names.toSorted((a, b) => b.lastAt.getTime() - a.lastAt.getTime())
  const [identity] =
    row.user_id === ''
      ? []
      : await findCustom(services.reads, { siteNo: site.siteNo, identifier: row.user_id })
  return {
    ...row,
    custom: identity?.custom ?? null,
    visitors: distinct(newestFirst.map(({ visitorId }) => visitorId ?? '')),
    users: distinct(newestFirst.map(({ userId }) => userId)),
  }
}

const distinct = (names: string[]) => [...new Set(names.filter(name => name !== ''))].slice(0, MOST_NAMES)
