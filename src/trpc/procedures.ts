import { initTRPC } from '@trpc/server'
import { AppError, type Refusals } from '../errors.ts'
import { abandonWhen } from '../infra/abandon.ts'
import { withDeadline } from '../infra/deadline.ts'
import { findSite } from '../sites/find-site.ts'
import { SiteKey } from '../sites/schema.ts'
import { authenticate } from '../teams/authentication.ts'
import { hasActivePlan } from '../teams/plans.ts'
import { chargeCall } from './call-limits.ts'
import { type Context, runningRequest } from './context.ts'
import { errorShape, fromProcedure } from './errors.ts'

// Checks run in the order in which a procedure is built from these: 401, then 404 for the site, then 403, then
// 402, and `.input` after all of them for 422.

const t = initTRPC
  .context<Context>()
  // What the checks of a procedure answer with: the API's description is made from it.
  .meta<Refusals>()
  .create({
    isDev: false,
    errorFormatter: ({ error, ctx }) =>
      errorShape(fromProcedure(error), ctx?.requestId ?? runningRequest.getStore()?.requestId ?? ''),
  })

export const router = t.router

/** Longest a caller waits: a server that stands still says nothing by itself. */
const PATIENCE_MS = 10_000

/** `ctx.signal` aborts when nobody waits for the answer any more: the caller has left, or was told that it takes too long. */
const timed = t.procedure.meta({ unavailable: true }).use(({ ctx, next, type }) => {
  const late = new AbortController()
  const run = () => next({ ctx: { signal: AbortSignal.any([ctx.signal, late.signal]) } })
  // What writes goes on: it is not known to have failed. And a caller who has left cancels no statement: a cancellation that
  // arrives late would meet the next statement of that connection, somebody else's.
  const running = type === 'query' ? abandonWhen(late.signal, run) : run()
  return withDeadline(PATIENCE_MS, running, () => {
    late.abort()
    return new AppError('unavailable', 'The answer takes too long; try again shortly', { retryAfter: 5 })
  })
})

/** For everybody with a token; `ctx.caller` is who that is. Every call is charged, valid or not. */
export const authed = timed.meta({ unauthenticated: true, rate_limited: true }).use(async ({ ctx, next }) => {
  const caller = await authenticate(ctx)
  await chargeCall(ctx, caller)
  return next({ ctx: { caller } })
})

/** For one of the caller's sites; `ctx.site` is which. */
export const siteProcedure = authed
  .meta({ not_found: 'No such site' })
  .input(SiteKey)
  .use(async ({ ctx, input, next }) => {
    const site = await findSite(ctx.db, ctx.caller, input.siteKey)
    return next({ ctx: { site } })
  })

const MANAGERS_ONLY = 'Only owners and admins of the team may do this'

/** For one of the caller's sites, if the caller is an owner or admin. */
export const managedSiteProcedure = siteProcedure
  .meta({ forbidden: MANAGERS_ONLY })
  .use(async ({ ctx, next }) => {
    if (ctx.caller.role === 'member') throw new AppError('forbidden', MANAGERS_ONLY)
    return next()
  })

const NO_PLAN = 'The subscription of the team is not active'

/** The same, if the team's subscription is active or its trial runs. */
export const billedSiteProcedure = managedSiteProcedure
  .meta({ payment_required: NO_PLAN })
  .use(async ({ ctx, next }) => {
    if (!hasActivePlan(ctx.caller, ctx.now())) throw new AppError('payment_required', NO_PLAN)
    return next()
  })
