import { overLimit, type Rate } from '../infra/rate-limit.ts'
import type { Caller } from '../teams/schema.ts'
import type { Context } from './context.ts'

/** The buckets of a call, the narrowest first: a user may make more tokens, a team more users, none of them more calls. */
const BUCKETS: { of: (caller: Caller) => string; times: number; whose: string }[] = [
  { of: caller => `api:${caller.tokenId}`, times: 1, whose: 'by this token' },
  { of: caller => `api-user:${caller.userId}`, times: 5, whose: 'by all tokens of this user' },
  { of: caller => `api-team:${caller.teamId}`, times: 20, whose: 'by all tokens of this team' },
]

/**
 * Charges a call to the token, its user and its team, in one round trip; each counts it, whether or not another one refuses it.
 * The answer shows the bucket with the fewest requests left, on a tie the one that refuses, then the narrowest.
 * @throws AppError `rate_limited`
 */
export async function chargeCall(
  ctx: Pick<Context, 'config' | 'limiter' | 'now' | 'showRate'>,
  caller: Caller,
): Promise<void> {
  const limit = ctx.config.limits.api
  if (limit === 0) return
  const rates = await ctx.limiter.charge(
    BUCKETS.map(({ of, times }) => ({ key: of(caller), limit: times * limit })),
  )
  const index = rates.reduce((least, rate, each) => (isLess(rate, rates[least]!) ? each : least), 0)
  const rate = rates[index]!
  ctx.showRate(rate)
  if (!rate.isAllowed) throw overLimit(rate, ctx.now(), BUCKETS[index]!.whose)
}

const isLess = (rate: Rate, than: Rate): boolean =>
  rate.remaining < than.remaining || (rate.remaining === than.remaining && !rate.isAllowed && than.isAllowed)
