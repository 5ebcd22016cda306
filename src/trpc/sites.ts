import { z } from 'zod'
import { answerSite } from '../access/sites/answer-site.ts'
import {
  createSite,
  deleteSite,
  requireSiteCreation,
  togglePin,
  updateCurrency,
  updateSite,
  updateTimezone,
} from '../access/sites/change-site.ts'
import { checkInstallation, Installation } from '../access/sites/check-installation.ts'
import { currencyOptions } from '../access/sites/currencies.ts'
import {
  getIdentifySecret,
  removeIdentifySecret,
  rotateIdentifySecret,
} from '../access/sites/identify-secret.ts'
import { listSites } from '../access/sites/list-sites.ts'
import { ChangeFeatures, CreateSite, changeOf } from '../access/sites/options.ts'
import {
  IdentifySecret,
  IdentifySecretStatus,
  ListSites,
  OptionList,
  Site,
  SiteList,
} from '../access/sites/site-schema.ts'
import { requireNoEnd } from '../access/teams/token-rules.ts'
import { updateRetention } from '../outgoing/retention/change-retention.ts'
import { DeleteHistory, deleteHistory } from '../outgoing/retention/delete-history.ts'
import { zoneOptions } from '../platform/time/zones.ts'
import { chargeCall, installationBucket } from './charge.ts'
import {
  authed,
  changingProcedure,
  changingSiteProcedure,
  managedSiteProcedure,
  router,
  siteProcedure,
} from './procedures.ts'

const creatorProcedure = changingProcedure
  .meta({
    forbidden:
      'The team has no active plan and no running trial, or as many sites as it may; the token is limited to sites; or the user is a viewer',
  })
  .use(async ({ ctx, next }) => {
    await requireSiteCreation(ctx, ctx.caller)
    return next()
  })

/** Base for procedures that change the site and answer it. */
const changeProcedure = (path: string, texts: { summary: string; description?: string }) =>
  changingSiteProcedure
    .meta({ method: 'patch', path: `/api/sites/:siteKey/${path}`, answer: 'The site.', ...texts })
    .output(Site)

export const sitesRouter = router({
  list: authed
    .meta({
      path: '/api/sites',
      summary: 'List sites',
      description: 'The sites that the token reaches, pinned ones first, with their traffic in the period.',
      answer: 'A bare array.',
    })
    .input(ListSites.prefault({}))
    .output(SiteList)
    .query(({ ctx, input }) => listSites(ctx, ctx.caller, input)),
  create: creatorProcedure
    .meta({
      method: 'post',
      path: '/api/sites',
      ok: 201,
      location: '/api/sites/{id}',
      summary: 'Create a site',
      description: 'A domain may be a site once per team.',
      answer: 'The new site.',
    })
    .input(CreateSite)
    .output(Site)
    .mutation(({ ctx, input }) => createSite(ctx, ctx.caller, input)),
  get: siteProcedure
    .meta({
      path: '/api/sites/:siteKey',
      summary: 'Read a site',
      answer: 'The site.',
    })
    .output(Site)
    .query(({ ctx }) => answerSite(ctx, ctx.site)),
  delete: managedSiteProcedure
    .meta({
      scope: 'admin',
      method: 'delete',
      path: '/api/sites/:siteKey',
      summary: 'Delete a site',
      description:
        'At once: nothing of the site is served any more, and its tracking key is unknown within a second. Its data is ' +
        'removed in the background. Irreversible.',
    })
    .output(z.void())
    .mutation(({ ctx }) => deleteSite(ctx, ctx.site)),
  updateDomain: changeProcedure('domain', {
    summary: 'Change the domain',
    description: 'The domain keys the URLs of the site. It may be that of one site per team.',
  })
    .input(changeOf('domain'))
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateTimezone: changeProcedure('timezone', {
    summary: 'Change the time zone',
    description:
      "Defines the site's reporting day. Refused once details of the site are gone (`details_from`).",
  })
    .input(changeOf('timezone'))
    .mutation(({ ctx, input }) => updateTimezone(ctx, ctx.site, input)),
  updateCurrency: changeProcedure('currency', {
    summary: 'Change the reporting currency',
    description:
      'Refused while the site has a goal with a currency, or payments in another currency than the new one. The present ' +
      'currency is always accepted.',
  })
    .input(changeOf('currency'))
    .mutation(({ ctx, input }) => updateCurrency(ctx, ctx.site, input)),
  updateTrackingMode: changeProcedure('tracking-mode', { summary: 'Change the tracking mode' })
    .input(changeOf('tracking_mode'))
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateSharing: changeProcedure('sharing', { summary: 'Share the dashboard, or stop sharing it' })
    .meta({ givesReading: true })
    .input(changeOf('is_public'))
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateFeatures: changeProcedure('features', {
    summary: 'Turn features on or off',
    description: 'A feature that is left out stays as it is.',
  })
    .input(ChangeFeatures)
    .mutation(({ ctx, input }) => updateSite(ctx, ctx.site, input)),
  updateRetention: managedSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/retention',
      summary: 'Change how long details are kept',
      description:
        'Hits and sessions older than `retention_months` are dropped in the background, by the week; numbers that need no filter ' +
        'stay. What is gone does not come back: `details_from` of the site says from when on there are details.',
      answer: 'The site.',
    })
    .input(changeOf('retention_months'))
    .output(Site)
    .mutation(({ ctx, input }) => updateRetention(ctx, ctx.site, input)),
  deleteHistory: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/history',
      summary: 'Delete the numbers of old days',
      description:
        'The numbers of all days before a date whose details are gone already. The site begins with that date at once; the numbers ' +
        'are removed in the background. Revenue stays. Irreversible.',
    })
    .input(DeleteHistory)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteHistory(ctx, ctx.site, input)),
  togglePin: changeProcedure('pin', {
    summary: 'Pin or unpin the site',
    description: 'Pins the site to the top of the list, or unpins it when it is pinned.',
  }).mutation(({ ctx }) => togglePin(ctx, ctx.site)),
  checkInstallation: changingSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/check-installation',
      summary: 'Check whether the site has its tracker',
      description:
        'Fetches the page at `/` of the domain, over https or else http, from the public internet, and looks for the script tag. Ten times a minute a site.',
      answer: 'What the page has.',
    })
    .output(Installation)
    .use(async ({ ctx, next }) => {
      await chargeCall(ctx, [installationBucket(ctx.site)])
      return next()
    })
    .mutation(({ ctx }) => checkInstallation(ctx, ctx.site)),
  getIdentifySecret: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/identify-secret',
      summary: 'Read whether identities have to be signed',
      answer: 'Whether there is an identify secret, which is not shown again.',
    })
    .output(IdentifySecretStatus)
    .query(({ ctx }) => getIdentifySecret(ctx, ctx.site)),
  rotateIdentifySecret: managedSiteProcedure
    .meta({
      method: 'put',
      path: '/api/sites/:siteKey/identify-secret',
      summary: 'Make a new identify secret',
      description:
        'From then on `POST /api/identify` needs a `signature` for this site: the HMAC-SHA-256 of the identifier, keyed with the ' +
        'secret. Replaces the secret there is; what is signed with that one is refused within a second.',
      answer: 'The secret, shown for the only time.',
      forbidden:
        'The token has an end, which the secret has not; or the user is no owner or admin of the team',
    })
    .output(IdentifySecret)
    .use(({ ctx, next }) => {
      requireNoEnd(ctx.caller, 'An identify secret')
      return next()
    })
    .mutation(({ ctx }) => rotateIdentifySecret(ctx, ctx.site)),
  removeIdentifySecret: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/identify-secret',
      summary: 'Remove the identify secret',
      description: 'From then on identities of the site need no signature.',
      not_found: 'No such site, or it has no identify secret',
    })
    .output(z.void())
    .mutation(({ ctx }) => removeIdentifySecret(ctx, ctx.site)),
})

export const optionsRouter = router({
  timezones: authed
    .meta({
      path: '/api/timezones',
      summary: 'List time zones',
      description: 'Every name that a site can have as its time zone.',
      answer: 'A bare array.',
    })
    .output(OptionList)
    .query(() => zoneOptions()),
  currencies: authed
    .meta({
      path: '/api/currencies',
      summary: 'List currencies',
      description: 'Every reporting currency that a site can have.',
      answer: 'A bare array.',
    })
    .output(OptionList)
    .query(() => currencyOptions()),
})
