import type { Caller } from '../access/teams/caller.ts'
import type { Identity } from '../access/teams/credentials.ts'
import type { Config } from '../platform/config/config.ts'
import { keyedHash } from '../platform/lib/keyed-hash.ts'
import { overLimit, type RateLimitDecision } from '../platform/limits/rate-limit.ts'
import type { Context } from './context.ts'

/** A counter of calls in a minute; `whose` completes the sentence "More than 60 requests a minute …". */
export interface Bucket {
  key: string
  limit: number
  whose: string
}

/**
 * Returns the buckets that each call is charged to, narrowest first. Without the buckets of the user and the team, more tokens or
 * more users would allow more calls. A signed-in person has one bucket, whatever browsers and teams they use.
 */
export function bucketsOf({ caller, person }: Identity, limits: Config['limits']): Bucket[] {
  return person
    ? [{ key: `browser:${person.loginId}`, limit: limits.browser, whose: 'by all browsers of this login' }]
    : tokenBuckets(caller!, limits.api)
}

const tokenBuckets = ({ tokenId, userId, teamId }: Caller, limit: number): Bucket[] => [
  { key: `api:${tokenId}`, limit, whose: 'by this token' },
  { key: `api-user:${userId}`, limit: 5 * limit, whose: 'by all tokens of this user' },
  { key: `api-team:${teamId}`, limit: 20 * limit, whose: 'by all tokens of this team' },
]

/** Returns the bucket of a network, for calls that need neither token nor session. Its key does not hold the address. */
export function networkBucket(
  scope: string,
  { network, config }: Pick<Context, 'network' | 'config'>,
): Bucket {
  const hash = keyedHash(Buffer.from(config.secretKey, 'hex'), `${scope}\n${network}`, 'base64url')
  return { key: `${scope}:${hash.slice(0, 22)}`, limit: config.limits.browser, whose: 'from this address' }
}

/** Readers of one site together have this many times the limit of a network. */
const READERS_OF_SITE = 20

/** Returns the buckets of a reader who is no user of the site's team. */
export function sharedBuckets(ctx: Pick<Context, 'network' | 'config'>, siteNo: number): Bucket[] {
  const limit = READERS_OF_SITE * ctx.config.limits.browser
  return [
    networkBucket('shared', ctx),
    { key: `shared-site:${siteNo}`, limit, whose: 'by all readers of this shared site' },
  ]
}

/** Checks of a site's installation a minute: each sends requests to another server. */
const CHECKS_OF_INSTALLATION = 10

export const installationBucket = ({ siteNo }: { siteNo: number }): Bucket => ({
  key: `installation:${siteNo}`,
  limit: CHECKS_OF_INSTALLATION,
  whose: 'to check the installation of this site',
})

/**
 * Charges a call to buckets of one or more owners in one round trip. Each bucket counts the call, even if another refuses it.
 * The rate headers show the bucket with the fewest requests left; on a tie the bucket that refuses, then the first.
 * @throws AppError `rate_limited`
 */
export async function chargeCall(
  ctx: Pick<Context, 'limiter' | 'now' | 'showRate' | 'isCharged'>,
  buckets: Bucket[],
): Promise<void> {
  const limited = buckets.filter(({ limit }) => limit > 0)
  if (limited.length === 0 || ctx.isCharged) return
  const rates = await ctx.limiter.count(limited.map(({ key, limit }) => ({ key, limit })))
  const index = rates.reduce((least, rate, each) => (isLess(rate, rates[least]!) ? each : least), 0)
  const rate = rates[index]!
  ctx.showRate(rate)
  if (!rate.isAllowed) throw overLimit(rate, ctx.now(), limited[index]!.whose)
}

const isLess = (rate: RateLimitDecision, than: RateLimitDecision): boolean =>
  rate.remaining < than.remaining || (rate.remaining === than.remaining && !rate.isAllowed && than.isAllowed)
