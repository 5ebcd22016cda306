import { getErasure, listErasures, requestErasure } from '../outgoing/people/erasures.ts'
import { exportPerson } from '../outgoing/people/export/export-person.ts'
import { PersonExport } from '../outgoing/people/export/schema.ts'
import {
  Erasure,
  ErasureKey,
  ErasurePage,
  ExportPerson,
  ListErasures,
  PersonKey,
} from '../stats/people/person-schema.ts'
import { managedSiteProcedure, router } from './procedures.ts'

const NOBODY = 'No such site, or it has no such visitor and no such user'

export const peopleRouter = router({
  erase: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/visitors/:person',
      ok: 202,
      summary: 'Erase a person',
      description:
        'All hits, visits and identities of a visitor or a user, in the background; payments stay without a link to the person. ' +
        'Until the erasure is finished, reports count some of it. Irreversible.',
      answer: 'The erasure; while one of the person runs, that one.',
      not_found: NOBODY,
    })
    .input(PersonKey)
    .output(Erasure)
    .mutation(({ ctx, input }) => requestErasure(ctx, ctx.site, input)),
  export: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/visitors/:person/export',
      summary: 'Export what is stored about a person',
      description:
        'Page by page, until `next_cursor` is null. A page may have fewer items than `per_page`, even none, before the last one.',
      answer: 'A page of the data; each row is on one page.',
      not_found: NOBODY,
    })
    .input(ExportPerson)
    .output(PersonExport)
    .query(({ ctx, input }) => exportPerson(ctx, ctx.site, input)),
  listErasures: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/erasures',
      summary: 'List erasures',
      description: 'The newest first.',
      answer: 'A page of erasures; those that are finished do not say of whom.',
    })
    .input(ListErasures)
    .output(ErasurePage)
    .query(({ ctx, input }) => listErasures(ctx, ctx.site, input)),
  getErasure: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/erasures/:id',
      summary: 'Read an erasure',
      answer: 'The erasure.',
      not_found: 'No such site, or no such erasure',
    })
    .input(ErasureKey)
    .output(Erasure)
    .query(({ ctx, input }) => getErasure(ctx, ctx.site, input)),
})
