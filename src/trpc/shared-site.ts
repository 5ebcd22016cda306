import { findSite, findSiteByNo, isKeyOf } from '../access/sites/find-site.ts'
import { SiteKey, type SiteRecord } from '../access/sites/site-schema.ts'
import { hasActivePlan } from '../access/teams/accounts.ts'
import { guardOf, identify } from '../access/teams/authentication.ts'
import { isManager } from '../access/teams/caller.ts'
import type { Identity } from '../access/teams/credentials.ts'
import { AppError } from '../platform/errors.ts'
import { keyedHash } from '../platform/lib/keyed-hash.ts'
import { runningDownload } from '../platform/schema/download.ts'
import { shareCredentialOf } from '../stats/sharing/credentials.ts'
import { grantOf, invalidShare, useShare } from '../stats/sharing/find-share.ts'
import { type Grant, PUBLIC_GRANT, requireSection } from '../stats/sharing/grant.ts'
import type { ShareRow } from '../stats/sharing/share-rows.ts'
import { usePublicSite } from '../stats/sharing/shared-site.ts'
import { bucketsOf, chargeCall, sharedBuckets } from './charge.ts'
import type { Context } from './context.ts'
import type { ProcedureMeta } from './meta.ts'
import { knownFields, requireScopes, siteProcedure, timed } from './procedures.ts'
import { withReplica } from './replicated.ts'

/** Who reads: with a share, as a user or another signed-in person, or as anybody. */
type Reader = { share: ShareRow } | { identity: Identity } | { publicSite: SiteRecord }

type ReaderContext = Context & { reader: Reader }

/**
 * Base for procedures that read one site, for users, for readers of a share and, if the site is public, for everybody. Adds `ctx.site`
 * and `ctx.grant`: null for users, else what the reader may see; `ctx.seesPayments` for those who may list payments. The procedure
 * names the section in its meta. `ctx.hidePayer` hides mail addresses of payers from viewers.
 */
export const sharedSiteProcedure = timed
  .meta({
    isShared: true,
    isScoped: true,
    unauthenticated: 'Credentials are missing or not valid, and there is no such public site',
    password_required: 'The share has a password: open it with `POST /api/shares/open`',
    rate_limited: true,
    forbidden:
      'What the request names belongs to a section that is not shared with the reader, or it is to be a file, and the share may not be exported',
    not_found: 'No such site',
    preparing: true,
  })
  .use(async ({ ctx, next, getRawInput, type }) => {
    const reader = await findReader(ctx, getRawInput, type === 'query')
    await chargeCall(ctx, bucketsOfReader(ctx, reader))
    return next({ ctx: { reader } })
  })
  .input(SiteKey)
  .use(async ({ ctx, input, next, type, meta }) => {
    const { site, grant } = await findReadSite(ctx, input.siteKey)
    if ('identity' in ctx.reader && !grant) requireScopes(ctx.reader.identity.caller!, type, meta)
    if (grant) requireShown(grant, meta?.section)
    const caller = 'identity' in ctx.reader && !grant ? ctx.reader.identity.caller : undefined
    const userId = caller?.userId
    const seesPayments = !!caller && isManager(caller.role) && hasActivePlan(caller, ctx.now())
    // With the secret key: otherwise a guess of an address could be checked.
    const hidePayer =
      caller?.role === 'viewer'
        ? (email: string) =>
            keyedHash(Buffer.from(ctx.config.secretKey, 'hex'), `payer\n${email}`, 'base64url').slice(0, 22)
        : undefined
    const patterns = grant ? ctx.patterns.guests : ctx.patterns
    return withReplica(ctx, site.siteNo, type, reading =>
      next({ ctx: { site, grant, userId, seesPayments, hidePayer, patterns, ...reading } }),
    )
  })
  .use(knownFields)

/** Base for reads of a site by its users alone, whatever a share shows; adds `ctx.grant`, which is null, and `ctx.userId`. */
export const unsharedSiteProcedure = siteProcedure
  .meta({ preparing: true })
  .use(({ ctx, next }) => next({ ctx: { grant: null, userId: ctx.caller.userId } }))

async function findReader(
  ctx: Context,
  getRawInput: () => Promise<unknown>,
  isRead: boolean,
): Promise<Reader> {
  const credential = shareCredentialOf(ctx.authorization)
  if (credential !== undefined) return { share: await useShare(ctx, credential, guardOf(ctx)) }
  try {
    return { identity: await identify(ctx, isRead) }
  } catch (error) {
    const isNobody = ctx.authorization === undefined && isUnauthenticated(error)
    if (!isNobody) throw error
    const { data } = SiteKey.safeParse(await getRawInput().catch(() => undefined))
    if (!data) throw error
    return { publicSite: await usePublicSite(ctx, data.siteKey, error, guardOf(ctx)) }
  }
}

const isUnauthenticated = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'unauthenticated'

function bucketsOfReader(ctx: Context, reader: Reader) {
  if ('identity' in reader) return bucketsOf(reader.identity, ctx.config.limits)
  return sharedBuckets(ctx, 'share' in reader ? reader.share.siteNo : reader.publicSite.siteNo)
}

async function findReadSite(
  ctx: ReaderContext,
  siteKey: string,
): Promise<{ site: SiteRecord; grant: Grant | null }> {
  const { reader, db } = ctx
  if ('publicSite' in reader) return { site: reader.publicSite, grant: PUBLIC_GRANT }
  if ('share' in reader) {
    const site = await findSiteByNo(db, reader.share.siteNo)
    if (!site) throw invalidShare()
    if (!isKeyOf(siteKey, site)) throw noSuchSite()
    return { site, grant: grantOf(reader.share) }
  }
  const { caller, person } = reader.identity
  try {
    if (!caller) throw new AppError('forbidden', 'You belong to no team, and this site is not public')
    return { site: await findSite(db, caller, siteKey), grant: null }
  } catch (error) {
    if (!person || !(error instanceof AppError)) throw error
    const site = await usePublicSite(ctx, siteKey, error, guardOf(ctx))
    await chargeCall(ctx, sharedBuckets(ctx, site.siteNo))
    return { site, grant: PUBLIC_GRANT }
  }
}

const noSuchSite = () => new AppError('not_found', 'No such site')

function requireShown(grant: Grant, section: ProcedureMeta['section']): void {
  if (runningDownload() && !grant.mayExport) {
    throw new AppError('forbidden', 'What is shared with you may be read, and not be exported')
  }
  if (section === 'any') return
  if (!section) throw new AppError('forbidden', 'Only users of the team may read this')
  requireSection(grant, section)
}
