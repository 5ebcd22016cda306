import { explain } from '../../stats/explain/explain.ts'
import { ExplainQuery } from '../../stats/explain/explain-query.ts'
import { Explanation } from '../../stats/explain/explanation-answer.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const explainProcedures = {
  explain: sharedSiteProcedure
    .meta({
      section: 'any',
      path: '/api/sites/:siteKey/explain',
      summary: 'Explain a number',
      description:
        'What a number of the overview, of a row of a breakdown, of the money report or of MRR movements was added up from: the rule, its ' +
        'parts over time, and a page of the rows behind it. Takes the parameters of that read. Shared readers need ' +
        'its sections, and `people` for the rows. Imported totals have no rows behind them: the number is that of the read without `imported`.',
      answer: 'The number and what it comes from.',
    })
    .input(ExplainQuery)
    .output(Explanation)
    .query(({ ctx, input }) => explain(ctx, ctx.site, input)),
}
