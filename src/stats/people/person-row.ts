import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import type { SessionAttribute } from '../../platform/dimensions/dimensions.ts'
import { presentRowRevenue, rowRevenueFields } from '../../platform/schema/amounts.ts'
import { count, timestamp } from '../../platform/schema/fields.ts'
import type { PeopleFilter } from '../counts/people.ts'
import { personOf } from '../event-log/actor.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsSite } from '../query-context.ts'
import { attributeFields, personFields, presentAttributes } from '../sessions/session-fields.ts'
import { mayShow } from '../sharing/grant.ts'
import type { Visit } from './timeline-rows.ts'
import { sumOwnVisits, sumVisits, type Visits } from './visits.ts'

export const KINDS = ['visitors', 'users'] as const

/** @see docs/metrics.md "People" */
export const PersonRow = z
  .object({
    kind: z.enum(['visitor', 'user']).meta({ description: 'What the row is of.', example: 'visitor' }),
    ...personFields,
    first_seen: timestamp('Start of the first session counted in `sessions`; null without one.').nullable(),
    last_seen: timestamp('Start of the newest session; null without one.').nullable(),
    last_active: timestamp('Latest hit or engagement of that session; null without one.').nullable(),
    sessions: count('Sessions that started in the range.', 3),
    pageviews: count('Pageviews of these sessions.', 12),
    events: count('Their other hits: events, autocaptures and errors.', 4),
    ...rowRevenueFields('Payments attributed to these sessions, less refunds, in minor units.', 4_999),
    mrr: z
      .int()
      .nullable()
      .meta({
        description:
          'Sum of the MRR movements attributed to these sessions, in minor units. Null beyond 2^53 − 1, and for readers without the ' +
          'section `revenue`.',
        example: 1_999,
      }),
    ...attributeFields,
  })
  .meta({ id: 'PersonRow' })
export type PersonRow = z.infer<typeof PersonRow>

/** A person with the start of the newest session; null without one. */
export type Ranked =
  | { visitorNo: number; startedAt: Date | null }
  | { userId: string; startedAt: Date | null }

interface NewestVisit extends Record<SessionAttribute | 'exitPath', string | null> {
  place: number
  visitorId: string | null
  userId: string
  userName: string | null
  userAvatar: string | null
  lastAt: Date | null
}

const readNewestVisits = query<
  { siteNo: number; starts: Date[]; visitorNos: number[]; userIds: string[] },
  NewestVisit
>('read-newest-visits')

/** No session starts then: the person has none. */
const NEVER = new Date('0001-01-01T00:00:00Z')

interface Source {
  site: StatsSite
  resolved: ResolvedQuery
}

/** Returns the rows of people of one kind, in their order: counts of the filtered sessions, and what the newest session says. */
export async function readPeople(
  services: LogServices,
  { site, resolved }: Source,
  people: Ranked[],
): Promise<PersonRow[]> {
  if (people.length === 0) return []
  const { siteNo } = site
  const starts = people.map(({ startedAt }) => startedAt ?? NEVER)
  const visitorNos = people.map(each => ('visitorNo' in each ? each.visitorNo : 0))
  const userIds = people.map(each => ('userId' in each ? each.userId : ''))
  const isUsers = 'userId' in people[0]!
  const [visits, newest] = await Promise.all([
    sumVisits(services, { site, resolved }, isUsers ? { userIds } : { visitorNos }),
    readNewestVisits(services.reads, { siteNo, starts, visitorNos, userIds }),
  ])
  const visit = new Map(newest.map(row => [row.place - 1, row]))
  return people.map((each, index) => {
    const key = 'userId' in each ? each.userId : String(each.visitorNo)
    return presentPerson(services, siteNo, each, visits.get(key), visit.get(index)!)
  })
}

/** Returns the row of one person, from all filtered sessions of theirs. */
export async function readPerson(
  services: LogServices,
  site: StatsSite,
  people: PeopleFilter,
  visits: readonly Visit[],
): Promise<PersonRow> {
  const found = await sumOwnVisits(services, site, visits)
  const visitorNo = 'visitorNos' in people ? people.visitorNos[0]! : 0
  const userId = 'userIds' in people ? people.userIds[0]! : ''
  const [newest] = await readNewestVisits(services.reads, {
    siteNo: site.siteNo,
    starts: [found?.lastAt ?? NEVER],
    visitorNos: [visitorNo],
    userIds: [userId],
  })
  const startedAt = found?.lastAt ?? null
  const person = 'userIds' in people ? { userId, startedAt } : { visitorNo, startedAt }
  return presentPerson(services, site.siteNo, person, found, newest!)
}

function presentPerson(
  services: LogServices,
  siteNo: number,
  person: Ranked,
  visits: Visits | undefined,
  newest: NewestVisit,
): PersonRow {
  const showsMoney = mayShow(services.grant, 'revenue')
  const mrr = Number(visits?.mrr ?? 0)
  return {
    kind: 'userId' in person ? 'user' : 'visitor',
    ...personOf(newest, siteNo, services.config),
    first_seen: visits?.firstAt.toISOString() ?? null,
    last_seen: person.startedAt?.toISOString() ?? null,
    last_active: newest.lastAt?.toISOString() ?? null,
    sessions: visits?.sessions ?? 0,
    pageviews: visits?.pageviews ?? 0,
    events: visits?.events ?? 0,
    ...(showsMoney ? presentRowRevenue(BigInt(visits?.revenue ?? 0)) : { revenue: null }),
    mrr: showsMoney && Number.isSafeInteger(mrr) ? mrr : null,
    ...presentAttributes(newest, services.grant),
  }
}
