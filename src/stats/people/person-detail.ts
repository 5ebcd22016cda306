import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { label, uuid } from '../../platform/schema/fields.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { findPeopleFilter, noSuchPerson } from './find-person.ts'
import { PersonRow, readPerson } from './person-row.ts'
import { PersonKey } from './person-schema.ts'
import { listVisits } from './timeline-rows.ts'

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
  const visits = await listVisits(services, resolved, people)
  if (visits.length === 0 && (services.grant?.filters.length ?? 0) > 0) throw noSuchPerson()
  const row = await readPerson(services, site, people, visits)
  const [identity] =
    row.user_id === ''
      ? []
      : await findCustom(services.reads, { siteNo: site.siteNo, identifier: row.user_id })
  return {
    ...row,
    custom: identity?.custom ?? null,
    visitors: distinct(visits.map(({ visitorId }) => visitorId ?? '')),
    users: distinct(visits.map(({ userId }) => userId)),
  }
}

const distinct = (names: string[]) => [...new Set(names.filter(name => name !== ''))].slice(0, MOST_NAMES)
