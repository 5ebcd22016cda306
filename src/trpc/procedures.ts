import { initTRPC } from '@trpc/server'
import { abandonWhen } from '../db/abandon.ts'
import { AppError } from '../errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { overLimit, type RateLimitDecision } from '../limits/rate-limit.ts'
import { findSite } from '../sites/find-site.ts'
import { SiteKey } from '../sites/schema.ts'
import { hasActivePlan } from '../teams/accounts.ts'
import { authenticate } from '../teams/authentication.ts'
import { type Caller, isManager } from '../teams/schema.ts'
import { type Context, runningRequest } from './context.ts'
import { errorShape, fromProcedure } from './errors.ts'
import type { ProcedureMeta } from './meta.ts'

/**
 * Buckets that each call is charged to, narrowest first. Without the buckets of the user and the team, more tokens or more users
 * would allow more calls.
 */
const BUCKETS: { of: (caller: Caller) => string; times: number; whose: string }[] = [
  { of: caller => `api:${caller.tokenId}`, times: 1, whose: 'by this token' },
  { of: caller => `api-user:${caller.userId}`, times: 5, whose: 'by all tokens of this user' },
  { of: caller => `api-team:${caller.teamId}`, times: 20, whose: 'by all tokens of this team' },
]

/**
 * Charges a call to the token, its user and its team in one round trip. Each bucket counts the call, even if another refuses it.
 * The rate headers show the bucket with the fewest requests left; on a tie the bucket that refuses, then the narrowest.
 * @throws AppError `rate_limited`
 */
async function chargeCall(
  ctx: Pick<Context, 'config' | 'limiter' | 'now' | 'showRate'>,
  caller: Caller,
): Promise<void> {
  const limit = ctx.config.limits.api
  if (limit === 0) return
  const rates = await ctx.limiter.count(
    BUCKETS.map(({ of, times }) => ({ key: of(caller), limit: times * limit })),
  )
  const index = rates.reduce((least, rate, each) => (isLess(rate, rates[least]!) ? each : least), 0)
  const rate = rates[index]!
  ctx.showRate(rate)
  if (!rate.isAllowed) throw overLimit(rate, ctx.now(), BUCKETS[index]!.whose)
}

const isLess = (rate: RateLimitDecision, than: RateLimitDecision): boolean =>
  rate.remaining < than.remaining || (rate.remaining === than.remaining && !rate.isAllowed && than.isAllowed)

// Checks run in the order in which a procedure is chained from these: 401, then 404 for the site, then 403, then
// 402, and last `.input` with 422.

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
const timed = t.procedure.meta({ unavailable: true }).use(({ ctx, next, type }) => {
  const late = new AbortController()
  const run = () => next({ ctx: { signal: AbortSignal.any([ctx.signal, late.signal]) } })
  // Mutations are not cancelled at the deadline: they may have succeeded. A disconnect cancels no statement at all: a late
  // cancellation would hit the next statement of that connection, which belongs to another request.
  const running = type === 'query' ? abandonWhen(late.signal, run) : run()
  return withDeadline(PATIENCE_MS, running, () => {
    late.abort()
    return new AppError('unavailable', 'The answer takes too long; try again shortly', { retryAfter: 5 })
  })
})

/** Base for procedures that need a token; adds `ctx.caller`. Every call is charged, valid or not. */
export const authed = timed.meta({ unauthenticated: true, rate_limited: true }).use(async ({ ctx, next }) => {
  const caller = await authenticate(ctx)
  await chargeCall(ctx, caller)
  return next({ ctx: { caller } })
})

/** Base for procedures on one of the caller's sites; adds `ctx.site`. */
export const siteProcedure = authed
  .meta({ not_found: 'No such site' })
  .input(SiteKey)
  .use(async ({ ctx, input, next }) => {
    const site = await findSite(ctx.db, ctx.caller, input.siteKey)
    return next({ ctx: { site } })
  })

const VIEWERS_READ = 'Viewers may read, and change nothing'

/** @throws AppError `forbidden` */
function refuseViewer({ role }: Caller): void {
  if (role === 'viewer') throw new AppError('forbidden', VIEWERS_READ)
}

/** Base for procedures that change something and belong to no site. */
export const changingProcedure = authed.meta({ forbidden: VIEWERS_READ }).use(async ({ ctx, next }) => {
  refuseViewer(ctx.caller)
  return next()
})

/** Base for procedures that change something of a site: an unknown site is refused first. */
export const changingSiteProcedure = siteProcedure
  .meta({ forbidden: VIEWERS_READ })
  .use(async ({ ctx, next }) => {
    refuseViewer(ctx.caller)
    return next()
  })

const MANAGERS_ONLY = 'Only owners and admins of the team may do this'

/** Base for procedures on a site that only owners and admins may call. */
export const managedSiteProcedure = siteProcedure
  .meta({ forbidden: MANAGERS_ONLY })
  .use(async ({ ctx, next }) => {
    if (!isManager(ctx.caller.role)) throw new AppError('forbidden', MANAGERS_ONLY)
    return next()
  })

const NO_PLAN = 'The subscription of the team is not active'

/** As `managedSiteProcedure`, for teams with an active subscription or a running trial. */
export const billedSiteProcedure = managedSiteProcedure
  .meta({ payment_required: NO_PLAN })
  .use(async ({ ctx, next }) => {
    if (!hasActivePlan(ctx.caller, ctx.now())) throw new AppError('payment_required', NO_PLAN)
    return next()
  })
