import { z } from 'zod'
import { deleteFunnel, saveFunnel } from '../stats/saved-funnels/change-funnel.ts'
import { findVisibleFunnel, listFunnels, presentFunnel } from '../stats/saved-funnels/find-funnel.ts'
import {
  Funnel,
  FunnelBody,
  FunnelKey,
  FunnelPage,
  ListFunnels,
} from '../stats/saved-funnels/funnel-schema.ts'
import { changingSiteProcedure, router } from './procedures.ts'
import { sharedSiteProcedure } from './shared-site.ts'

const NO_FUNNEL = 'No such site, or no such funnel of it'
const FUNNEL_RULES =
  'Something is not as it must be: a step that is neither a goal of the site nor a whole definition, a name that is taken, or more ' +
  'than 100 funnels'

export const funnelsRouter = router({
  list: sharedSiteProcedure
    .meta({
      section: 'goals',
      path: '/api/sites/:siteKey/funnels',
      summary: 'List funnels',
      description: 'By name, in any case.',
      answer: 'A page of funnels.',
    })
    .input(ListFunnels)
    .output(FunnelPage)
    .query(({ ctx, input }) => listFunnels(ctx, ctx.site, input)),
  create: changingSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/funnels',
      ok: 201,
      summary: 'Save a funnel',
      answer: 'The new funnel.',
      validation_failed: FUNNEL_RULES,
    })
    .input(FunnelBody)
    .output(Funnel)
    .mutation(({ ctx, input }) => saveFunnel(ctx, ctx.site, input)),
  get: sharedSiteProcedure
    .meta({
      section: 'goals',
      path: '/api/sites/:siteKey/funnels/:funnel',
      summary: 'Read the definition of a funnel',
      answer: 'The funnel.',
      not_found: NO_FUNNEL,
    })
    .input(FunnelKey)
    .output(Funnel)
    .query(async ({ ctx, input }) => presentFunnel(await findVisibleFunnel(ctx, ctx.site, input.funnel))),
  update: changingSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/funnels/:funnel',
      summary: 'Replace a funnel',
      description: 'The whole definition: what is left out is reset.',
      answer: 'The funnel.',
      not_found: NO_FUNNEL,
      validation_failed: FUNNEL_RULES,
    })
    .input(FunnelKey)
    .input(FunnelBody)
    .output(Funnel)
    .mutation(({ ctx, input }) => saveFunnel(ctx, ctx.site, input, input.funnel)),
  delete: changingSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/funnels/:funnel',
      summary: 'Delete a funnel',
      not_found: NO_FUNNEL,
    })
    .input(FunnelKey)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteFunnel(ctx, ctx.site, input.funnel)),
})
