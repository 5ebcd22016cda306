import { envelope, paginate } from '../../platform/schema/pagination.ts'
import { getPeople, PeopleQuery } from '../../stats/people/list-people.ts'
import { getPerson, Person, PersonQuery } from '../../stats/people/person-detail.ts'
import { PersonRow } from '../../stats/people/person-row.ts'
import { getTimeline, TimelineItem, TimelineQuery } from '../../stats/people/timeline.ts'
import { getSessions, SessionsQuery } from '../../stats/sessions/list-sessions.ts'
import { getSession, SessionDetail, SessionQuery } from '../../stats/sessions/session-detail.ts'
import { SessionRow } from '../../stats/sessions/session-row.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

const NOBODY = 'No such site, or it has no such visitor and no such user'

export const peopleProcedures = {
  sessions: sharedSiteProcedure
    .meta({
      section: 'people',
      path: '/api/sites/:siteKey/stats/sessions',
      summary: 'List sessions',
      description: 'Sessions that started in the range, the newest first.',
      answer: 'A page of sessions.',
    })
    .input(SessionsQuery)
    .output(envelope(SessionRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getSessions(ctx, ctx.site, input))),
  session: sharedSiteProcedure
    .meta({
      section: 'people',
      path: '/api/sites/:siteKey/stats/sessions/:session',
      summary: 'Read one session',
      description: 'With its pageviews and events in order, the oldest first. It needs no range.',
      answer: 'The session, and a page of its hits.',
      not_found: 'No such site, or no such session of it',
    })
    .input(SessionQuery)
    .output(SessionDetail)
    .query(({ ctx, input }) => getSession(ctx, ctx.site, input)),
  people: sharedSiteProcedure
    .meta({
      section: 'people',
      path: '/api/sites/:siteKey/stats/people',
      summary: 'List visitors or users',
      description: 'Those who came in the range, by their newest session.',
      answer: 'A page of people.',
    })
    .input(PeopleQuery)
    .output(envelope(PersonRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getPeople(ctx, ctx.site, input))),
  person: sharedSiteProcedure
    .meta({
      section: 'people',
      path: '/api/sites/:siteKey/stats/people/:person',
      summary: 'Read one visitor or user',
      description: 'What their sessions of the range say; also when there are none.',
      answer: 'The person.',
      not_found: NOBODY,
    })
    .input(PersonQuery)
    .output(Person)
    .query(({ ctx, input }) => getPerson(ctx, ctx.site, input)),
  timeline: sharedSiteProcedure
    .meta({
      section: 'people',
      path: '/api/sites/:siteKey/stats/people/:person/timeline',
      summary: 'Read what a person did',
      description:
        'Sessions that started in the range, their events, identities, payments and MRR movements in one list, the newest first.',
      answer: 'A page of items.',
      not_found: NOBODY,
    })
    .input(TimelineQuery)
    .output(envelope(TimelineItem))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getTimeline(ctx, ctx.site, input))),
}
