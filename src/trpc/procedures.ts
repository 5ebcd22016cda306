import { initTRPC } from '@trpc/server'
import { PROOF_TOO_OLD } from '../access/accounts/prove-again.ts'
import { type Audit, auditOf } from '../access/audit/audit.ts'
import { findSite } from '../access/sites/find-site.ts'
import { SiteKey } from '../access/sites/site-schema.ts'
import { hasActivePlan } from '../access/teams/accounts.ts'
import { identify } from '../access/teams/authentication.ts'
import { type Caller, isManager } from '../access/teams/caller.ts'
import type { Person } from '../access/teams/credentials.ts'
import { requireSameRole } from '../access/teams/memberships.ts'
import { requireTokenScope } from '../access/teams/token-rules.ts'
import { abandonWhen } from '../platform/db/abandon.ts'
import { AppError } from '../platform/errors.ts'
import { withDeadline } from '../platform/lib/deadline.ts'
import { shareCredentialOf } from '../stats/sharing/credentials.ts'
import { bucketsOf, chargeCall, networkBucket } from './charge.ts'
import { type Context, runningRequest } from './context.ts'
import { type Access, type ProcedureMeta, scopesOf } from './meta.ts'
import { errorShape, fromProcedure } from './procedure-errors.ts'
import { withReplica } from './replicated.ts'

// Checks run in the order in which a procedure is chained from these: 401, then 404 for the site, then 403, then
// 402, and last `.input` with 422; `knownFields`, the last of each base, refuses what `.input` would leave out.

const t = initTRPC
  .context<Context>()
  // REST routes and the OpenAPI document are read from it.
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    errorFormatter: ({ error, ctx }) =>
      errorShape(fromProcedure(error), ctx?.requestId ?? runningRequest.getStore()?.requestId ?? ''),
  })

export const router = t.router

/** Longest time a caller waits. A stalled server sends no error by itself, so a call to it might never end. */
const PATIENCE_MS = 10_000

/** Adds the deadline. `ctx.signal` aborts when the caller has disconnected, or was told that the answer takes too long. */
export const timed = t.procedure.meta({ unavailable: true }).use(({ ctx, next, type }) => {
  const late = new AbortController()
  const run = async () => {
    const result = await next({ ctx: { signal: AbortSignal.any([ctx.signal, late.signal]) } })
    // Before the answer: the next read, of any process, sees what a change has done to its token.
    if (type === 'mutation' && result.ok) await ctx.knownTokens.forget()
    return result
  }
  // Mutations are not cancelled at the deadline: they may have succeeded. A disconnect cancels no statement at all: a late
  // cancellation would hit the next statement of that connection, which belongs to another request.
  const running = type === 'query' ? abandonWhen(late.signal, run) : run()
  return withDeadline(PATIENCE_MS, running, () => {
    late.abort()
    return new AppError('unavailable', 'The answer takes too long; try again shortly', { retryAfter: 5 })
  })
})

/** Refuses fields that the procedure does not have, for tRPC. The last check of each base. */
export const knownFields = t.middleware(async ({ ctx, getRawInput, next, path }) => {
  ctx.refuseUnknown?.(path, await getRawInput())
  return next()
})

/**
 * Base for procedures that need neither token nor session, such as signing in. A page of another origin cannot send them: it could
 * otherwise sign a person in as another one. Charged to the network; adds `ctx.audit`, whose actor has no name yet.
 */
export const openProcedure = timed
  .meta({ isOpen: true, rate_limited: true, forbidden: 'A page of another origin sent the request' })
  .use(async ({ ctx, next }) => {
    await chargeCall(ctx, [networkBucket('open', ctx)])
    if (ctx.isForeignPage) {
      throw new AppError(
        'forbidden',
        `Only pages of ${ctx.config.baseUrl} may send this request. If you use another address, set BASE_URL to it`,
      )
    }
    return next({ ctx: { audit: auditOf({ ...NOBODY, network: ctx.auditNetwork }, ctx.now) } })
  })
  .use(knownFields)

const NOBODY = { teamId: null, loginId: null, userId: null, tokenId: null, name: '' }

/** Finds out who sends the request. Every call is charged, valid or not. */
const identified = timed
  .meta({ unauthenticated: true, rate_limited: true })
  .use(async ({ ctx, next, type }) => {
    if (shareCredentialOf(ctx.authorization) !== undefined) {
      throw new AppError(
        'unauthenticated',
        'A share reads what it shows, and nothing else: send a token, or sign in',
      )
    }
    const identity = await identify(ctx, type === 'query')
    await chargeCall(ctx, bucketsOf(identity, ctx.config.limits))
    return next({ ctx: { identity } })
  })

export const SIGN_IN = 'Only a signed-in person may do this, not a token'

/** Base for procedures of a signed-in person, whatever their team; adds `ctx.person` and `ctx.audit`. */
export const personProcedure = identified
  .meta({ isPersonal: true, forbidden: SIGN_IN })
  .use(async ({ ctx, next }) => {
    const { person, caller } = ctx.identity
    if (!person) throw new AppError('forbidden', SIGN_IN)
    const audit = auditOf(actorOf(caller, person, ctx.auditNetwork), ctx.now)
    return next({ ctx: { person, caller, audit } })
  })
  .use(knownFields)

/**
 * Base for procedures of a caller who acts in a team; adds `ctx.caller` and `ctx.audit`. Called in the transaction of a change,
 * `ctx.audit` also makes the change fail when the caller's role was taken away since the request began.
 */
const called = identified.use(async ({ ctx, next }) => {
  const { caller, person } = ctx.identity
  if (!caller) throw new AppError('forbidden', 'You belong to no team: make one, or ask for an invitation')
  const record = auditOf(actorOf(caller, person, ctx.auditNetwork), ctx.now)
  const audit: Audit = async (db, entry) => {
    await requireSameRole(db, caller)
    await record(db, entry)
  }
  return next({ ctx: { caller, audit } })
})

const ofTeammate = called.meta({ isPersonal: true, forbidden: SIGN_IN }).use(async ({ ctx, next }) => {
  const { person } = ctx.identity
  if (!person) throw new AppError('forbidden', SIGN_IN)
  return next({ ctx: { person } })
})

/** Base for procedures that a signed-in person may call for themselves in a team; adds `ctx.caller`, `ctx.person` and `ctx.audit`. */
export const teammateProcedure = ofTeammate.use(knownFields)

/** As `teammateProcedure`, for owners of the team. */
export const ownerProcedure = ofTeammate
  .use(async ({ ctx, next }) => {
    if (ctx.caller.role !== 'owner') throw new AppError('forbidden', 'Only owners of the team may do this')
    return next()
  })
  .use(knownFields)

const actorOf = (caller: Caller | null, person: Person | null, network: string) => ({
  teamId: caller?.teamId ?? null,
  loginId: caller?.loginId ?? person?.loginId ?? null,
  userId: caller?.userId ?? null,
  tokenId: caller?.tokenId ?? null,
  name: caller?.tokenName ? `${caller.email} (token ${caller.tokenName})` : (caller ?? person!).email,
  network,
})

/**
 * Checks the scopes of the caller's token: reading needs `read`, changing `write`. Recording what happened, such as a payment, needs
 * `ingest` or `write`; people, roles and the removal of sites need `admin`.
 * @throws AppError `forbidden`
 */
export function requireScopes(caller: Caller, type: string, meta: Access | undefined): void {
  for (const scope of scopesOf(type, meta)) requireTokenScope(caller, scope)
}

/** Refusal of procedures that call `requireFreshProof`, for the description. */
export const PROOF_FIRST = { proof_required: PROOF_TOO_OLD }

const scoped = called.meta({ isScoped: true }).use(({ ctx, next, type, meta }) => {
  requireScopes(ctx.caller, type, meta)
  return next()
})

/** Base for procedures that belong to no site; adds `ctx.caller` and `ctx.audit`. */
export const authed = scoped.use(knownFields)

const onSite = called
  .meta({ isScoped: true, not_found: 'No such site' })
  .input(SiteKey)
  .use(async ({ ctx, input, next, type, meta }) => {
    const site = await findSite(ctx.db, ctx.caller, input.siteKey)
    requireScopes(ctx.caller, type, meta)
    return withReplica(ctx, site.siteNo, type, reading => next({ ctx: { site, ...reading } }))
  })

/** Base for procedures on one of the caller's sites; adds `ctx.site`. */
export const siteProcedure = onSite.use(knownFields)

const VIEWERS_READ = 'Viewers may read, and change nothing'

/** @throws AppError `forbidden` */
function refuseViewer({ role }: Caller): void {
  if (role === 'viewer') throw new AppError('forbidden', VIEWERS_READ)
}

/** Base for procedures that change something and belong to no site. */
export const changingProcedure = scoped
  .meta({ forbidden: VIEWERS_READ })
  .use(async ({ ctx, next }) => {
    refuseViewer(ctx.caller)
    return next()
  })
  .use(knownFields)

/** Base for procedures that change something of a site: an unknown site is refused first. */
export const changingSiteProcedure = onSite
  .meta({ forbidden: VIEWERS_READ })
  .use(async ({ ctx, next }) => {
    refuseViewer(ctx.caller)
    return next()
  })
  .use(knownFields)

const MANAGERS_OF_ALL =
  'Only owners and admins of the team may do this, with no token that is limited to sites'
const MANAGERS_ONLY = 'Only owners and admins of the team may do this'

/** Base for procedures of the team that only owners and admins may call, and no token that is limited to sites. */
export const managerProcedure = scoped
  .meta({ forbidden: MANAGERS_OF_ALL })
  .use(async ({ ctx, next }) => {
    const { role, siteIds } = ctx.caller
    if (!isManager(role) || siteIds) throw new AppError('forbidden', MANAGERS_OF_ALL)
    return next()
  })
  .use(knownFields)

const onManagedSite = onSite.meta({ forbidden: MANAGERS_ONLY }).use(async ({ ctx, next }) => {
  if (!isManager(ctx.caller.role)) throw new AppError('forbidden', MANAGERS_ONLY)
  return next()
})

/** Base for procedures on a site that only owners and admins may call. */
export const managedSiteProcedure = onManagedSite.use(knownFields)

const NO_PLAN = 'The subscription of the team is not active'

/** As `managedSiteProcedure`, for teams with an active subscription or a running trial. */
export const billedSiteProcedure = onManagedSite
  .meta({ payment_required: NO_PLAN })
  .use(async ({ ctx, next }) => {
    if (!hasActivePlan(ctx.caller, ctx.now())) throw new AppError('payment_required', NO_PLAN)
    return next()
  })
  .use(knownFields)
