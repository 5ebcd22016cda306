import { Journeys, JourneysQuery } from '../../stats/journeys/journeys-query.ts'
import { readJourneys } from '../../stats/journeys/read-journeys.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const journeyProcedures = {
  journeys: sharedSiteProcedure
    .meta({
      section: 'any',
      path: '/api/sites/:siteKey/stats/journeys',
      summary: 'Read journeys',
      description:
        'Which way sessions go from a page, a title or an event, or came to it. Shared readers need the section `pages`, or `events`.',
      answer: 'The steps, with the sessions of each.',
    })
    .input(JourneysQuery)
    .output(Journeys)
    .query(({ ctx, input }) => readJourneys(ctx, ctx.site, input)),
}
