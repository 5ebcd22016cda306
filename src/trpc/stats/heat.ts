import { envelope, paginate } from '../../platform/schema/pagination.ts'
import { ClickRow, ClicksQuery, getClicks } from '../../stats/heat/clicks.ts'
import { getScroll, ScrollQuery, ScrollReport } from '../../stats/heat/scroll.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const heatProcedures = {
  clicks: sharedSiteProcedure
    .meta({
      section: 'events',
      path: '/api/sites/:siteKey/stats/clicks',
      summary: 'Read what was clicked',
      description:
        'Autocaptured events by type, element and target, most clicks first; of a page with `path`.',
      answer: 'A page of elements.',
    })
    .input(ClicksQuery)
    .output(envelope(ClickRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getClicks(ctx, ctx.site, input))),
  scroll: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/scroll',
      summary: 'Read how far a page is scrolled',
      description: 'The deepest scroll and the engaged time of the pageviews of one path.',
      answer: 'The report.',
    })
    .input(ScrollQuery)
    .output(ScrollReport)
    .query(({ ctx, input }) => getScroll(ctx, ctx.site, input)),
}
