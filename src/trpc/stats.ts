import { getOverview, Overview, OverviewQuery } from '../stats/overview.ts'
import { router, siteProcedure } from './procedures.ts'

export const statsRouter = router({
  overview: siteProcedure
    .input(OverviewQuery)
    .output(Overview)
    .query(({ ctx, input }) => getOverview(ctx, ctx.site, input)),
})
