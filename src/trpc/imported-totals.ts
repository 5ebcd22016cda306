import { z } from 'zod'
import { listTotals, TotalsImportItem, undoTotals } from '../outgoing/transfer/totals/list.ts'
import { managedSiteProcedure, router, siteProcedure } from './procedures.ts'

export const importedTotalsRouter = router({
  list: siteProcedure
    .meta({
      path: '/api/sites/:siteKey/imported-totals',
      summary: 'List imports of totals',
      description: 'What other products counted, by file, the newest import first.',
      answer: 'A bare array.',
    })
    .output(z.array(TotalsImportItem))
    .query(({ ctx }) => listTotals(ctx, ctx.site)),
  undo: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/imported-totals/:import',
      summary: 'Remove an import of totals',
      description: 'No read uses it from then on.',
      not_found: 'No such site, or no such import of it',
    })
    .input(
      z.object({
        import: z
          .string()
          .meta({ description: 'Id of the import.', example: '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90' }),
      }),
    )
    .output(z.void())
    .mutation(({ ctx, input }) => undoTotals(ctx, ctx.site, input.import)),
})
