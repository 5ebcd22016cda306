import { readRetention } from '../../stats/cohorts/read-retention.ts'
import { Retention, RetentionQuery } from '../../stats/cohorts/retention-query.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const retentionProcedures = {
  retention: sharedSiteProcedure
    .meta({
      section: 'any',
      path: '/api/sites/:siteKey/stats/retention',
      summary: 'Read retention',
      description:
        'How many of those who began in each period of the range came back, or still pay, in later periods. Shared readers need the ' +
        'section `traffic`, with a goal `goals` too, with payments `revenue`.',
      answer: 'The cohorts with their later periods.',
    })
    .input(RetentionQuery)
    .output(Retention)
    .query(({ ctx, input }) => readRetention(ctx, ctx.site, input)),
}
