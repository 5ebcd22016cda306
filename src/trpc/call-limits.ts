import { overLimit, type RateLimitDecision } from '../limits/rate-limit.ts'
import type { Caller } from '../teams/schema.ts'
import type { Context } from './context.ts'

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
export async function chargeCall(
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
