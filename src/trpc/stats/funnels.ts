import { FunnelQuery, FunnelReport, SavedFunnelQuery } from '../../stats/funnels/funnel-query.ts'
import { readFunnel, readSavedFunnel } from '../../stats/funnels/read-funnel.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const funnelProcedures = {
  funnel: sharedSiteProcedure
    .meta({
      section: 'goals',
      path: '/api/sites/:siteKey/stats/funnel',
      summary: 'Read a funnel',
      description:
        'How many visitors or sessions do several things one after the other, and where they stop.',
      answer: 'The numbers of each step.',
    })
    .input(FunnelQuery)
    .output(FunnelReport)
    .query(({ ctx, input }) => readFunnel(ctx, ctx.site, input)),
  savedFunnel: sharedSiteProcedure
    .meta({
      section: 'goals',
      path: '/api/sites/:siteKey/stats/funnels/:funnel',
      summary: 'Read a saved funnel',
      answer: 'The numbers of each step.',
      not_found: 'No such site, or no such funnel of it',
    })
    .input(SavedFunnelQuery)
    .output(FunnelReport)
    .query(({ ctx, input }) => readSavedFunnel(ctx, ctx.site, input)),
}
