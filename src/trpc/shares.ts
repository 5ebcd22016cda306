import { z } from 'zod'
import { requireFreshProof } from '../access/accounts/prove-again.ts'
import { guardOf } from '../access/teams/authentication.ts'
import { AppError } from '../platform/errors.ts'
import { openShare } from '../stats/sharing/open-share.ts'
import {
  ChangeShare,
  CreatedShare,
  CreateShare,
  OpenedShare,
  OpenShare,
  Share,
  SharedSite,
  ShareKey,
  ShareList,
} from '../stats/sharing/share-schema.ts'
import { presentShared } from '../stats/sharing/shared-site.ts'
import {
  changeShare,
  createShare,
  listShares,
  MAX_LIVE_SHARES,
  renewShareLink,
  revokeShare,
} from '../stats/sharing/shares.ts'
import { changingSiteProcedure, openProcedure, PROOF_FIRST, router, SIGN_IN } from './procedures.ts'
import { sharedSiteProcedure } from './shared-site.ts'

const FULL = `The site has ${MAX_LIVE_SHARES} shares that work, as many as it may; or the user is a viewer`
const UNKNOWN = 'No such site, or no such share of it'

/** For what makes a link. */
const sharingProcedure = changingSiteProcedure
  .meta({ ...PROOF_FIRST, givesReading: true })
  .use(({ ctx, next }) => {
    requireFreshProof(ctx, ctx.identity.person)
    return next()
  })

export const sharesRouter = router({
  list: changingSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/shares',
      summary: 'List shares',
      description: 'The newest first, with some that have expired.',
      answer: 'A bare array; the secrets are not shown again.',
      forbidden: 'Viewers neither see nor change shares',
    })
    .output(ShareList)
    .query(({ ctx }) => listShares(ctx, ctx.site)),
  create: sharingProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/shares',
      ok: 201,
      summary: 'Share a site',
      description:
        'Everyone with the link reads the sections, narrowed by the filters. Money, people and stack traces are shown only with the ' +
        'sections `revenue`, `people` and `stacks`. A share that a token makes ends with the token.',
      answer:
        'The new share; its secret and its link are shown for the only time, and only in a browser: both are null for a token.',
      forbidden: FULL,
    })
    .input(CreateShare)
    .output(CreatedShare)
    .mutation(({ ctx, input }) => createShare(ctx, ctx.caller, ctx.site, input)),
  change: changingSiteProcedure
    .meta({
      givesReading: true,
      method: 'patch',
      path: '/api/sites/:siteKey/shares/:id',
      summary: 'Change a share',
      description:
        'Also for those who have the link already. What is left out stays. Another password, and none, ends access that was given before.',
      answer: 'The share.',
      forbidden: `${FULL}; or a token did not make the share`,
      not_found: UNKNOWN,
    })
    .input(ShareKey)
    .input(ChangeShare)
    .output(Share)
    .mutation(({ ctx, input: { id, ...changes } }) => changeShare(ctx, ctx.caller, ctx.site, id, changes)),
  renew: sharingProcedure
    .meta({
      isPersonal: true,
      method: 'post',
      path: '/api/sites/:siteKey/shares/:id/link',
      summary: 'Make a new link for a share',
      description:
        'For a share that a token made, whose link was in no answer, and for a link that was lost. The old link ends; the share no longer ends with ' +
        'the token that made it.',
      answer: 'The share; its new secret and its link are shown for the only time.',
      forbidden: `${SIGN_IN}; or the user is a viewer`,
      not_found: UNKNOWN,
    })
    .use(({ ctx, next }) => {
      if (!ctx.identity.person) throw new AppError('forbidden', SIGN_IN)
      return next()
    })
    .input(ShareKey)
    .output(CreatedShare)
    .mutation(({ ctx, input }) => renewShareLink(ctx, ctx.site, input.id)),
  revoke: changingSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/shares/:id',
      summary: 'Revoke a share',
      description: 'At once and everywhere.',
      not_found: UNKNOWN,
    })
    .input(ShareKey)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeShare(ctx, ctx.site, input.id)),
  open: openProcedure
    .meta({
      method: 'post',
      path: '/api/shares/open',
      summary: 'Open a share',
      description:
        'Gives access for twelve hours. Needed for a share with a password; others are read with their secret, too.',
      answer: 'Access, and what it shows.',
      unauthenticated: 'The share does not work, or the password is wrong',
      password_required: 'The share has a password, and none was sent',
      rate_limited:
        'More requests than the limit allows, or ten wrong passwords in 15 minutes for the share or from the network',
    })
    .input(OpenShare)
    .output(OpenedShare)
    .mutation(({ ctx, input }) => openShare(ctx, input, guardOf(ctx))),
  site: sharedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/shared',
      section: 'any',
      summary: 'Read what is shared',
      description: 'What readers see of the site, and which sections they may read.',
      answer: 'The site and what is shared of it.',
    })
    .output(SharedSite)
    .query(({ ctx }) => presentShared(ctx.site, ctx.grant, ctx.config.baseUrl)),
})
