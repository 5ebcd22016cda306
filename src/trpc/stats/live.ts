import { getLive, Live, LiveQuery } from '../../stats/reads/live.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const liveProcedures = {
  live: sharedSiteProcedure
    .meta({
      section: 'traffic',
      path: '/api/sites/:siteKey/stats/live',
      summary: 'Read who is on the site now',
      description:
        'The last 5 and the last 30 minutes. Lists of sections that are not shared with the reader are empty.',
      answer: 'Who is here, and what they do.',
    })
    .input(LiveQuery)
    .output(Live)
    .query(({ ctx, input }) => getLive(ctx, ctx.site, input)),
}
