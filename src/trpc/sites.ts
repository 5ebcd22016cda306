import { z } from 'zod'
import { createSite, requireSiteCreation } from '../sites/create-site.ts'
import { deleteSite } from '../sites/delete-site.ts'
import { getIdentifySecret, removeIdentifySecret, rotateIdentifySecret } from '../sites/identify-secret.ts'
import { listSites } from '../sites/list-sites.ts'
import { presentSite } from '../sites/present-site.ts'
import {
  CreateSite,
  IdentifySecret,
  IdentifySecretStatus,
  ListSites,
  Site,
  SiteList,
  UpdateCurrency,
  UpdateDomain,
  UpdateFeatures,
  UpdateSharing,
  UpdateTimezone,
  UpdateTrackingMode,
} from '../sites/schema.ts'
import { togglePin, updateCurrency, updateSite } from '../sites/update-site.ts'
import { authed, managedSiteProcedure, router, siteProcedure } from './procedures.ts'

const creatorProcedure = authed
  .meta({
    forbidden:
      'The team has no active plan and no running trial, or as many sites as it may; or the token is limited to sites',
  })
  .use(async ({ ctx, next }) => {
    await requireSiteCreation(ctx, ctx.caller)
    return next()
  })

export const sitesRouter = router({
  list: authed
    .input(ListSites.prefault({}))
    .output(SiteList)
    .query(({ ctx, input }) => listSites(ctx, ctx.caller, input)),
  create: creatorProcedure
    .input(CreateSite)
    .output(Site)
    .mutation(({ ctx, input }) => createSite(ctx, ctx.caller, input)),
  get: siteProcedure.output(Site).query(({ ctx }) => presentSite(ctx.site, ctx.config.baseUrl)),
  updateDomain: siteProcedure
    .input(UpdateDomain)
    .output(Site)
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateTimezone: siteProcedure
    .input(UpdateTimezone)
    .output(Site)
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateCurrency: siteProcedure
    .input(UpdateCurrency)
    .output(Site)
    .mutation(({ ctx, input }) => updateCurrency(ctx, ctx.site, input)),
  updateTrackingMode: siteProcedure
    .input(UpdateTrackingMode)
    .output(Site)
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateSharing: siteProcedure
    .input(UpdateSharing)
    .output(Site)
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateFeatures: siteProcedure
    .input(UpdateFeatures)
    .output(Site)
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  togglePin: siteProcedure.output(Site).mutation(({ ctx }) => togglePin(ctx, ctx.site)),
  getIdentifySecret: managedSiteProcedure
    .output(IdentifySecretStatus)
    .query(({ ctx }) => getIdentifySecret(ctx, ctx.site)),
  rotateIdentifySecret: managedSiteProcedure
    .output(IdentifySecret)
    .mutation(({ ctx }) => rotateIdentifySecret(ctx, ctx.site)),
  removeIdentifySecret: managedSiteProcedure
    .output(z.void())
    .mutation(({ ctx }) => removeIdentifySecret(ctx, ctx.site)),
  delete: managedSiteProcedure.output(z.void()).mutation(({ ctx }) => deleteSite(ctx, ctx.site)),
})
