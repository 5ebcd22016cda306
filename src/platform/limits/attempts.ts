import { AppError } from '../errors.ts'
import { keyedHash } from '../lib/keyed-hash.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { answered } from '../redis/connect-redis.ts'
import type { Services } from '../services.ts'

const WINDOW_MS = 15 * MINUTE_MS
/** Attempts in fifteen minutes by each counter. */
export const MAX_ATTEMPTS = 10
/** By an e-mail address from all networks together: more, since a stranger could keep its owner out. */
export const MAX_ATTEMPTS_OF_EMAIL = 100

/** KEYS: the counters of a window. ARGV: the lifetime in milliseconds, then each counter and its limit. Returns 1 when it has counted. */
const COUNT = `
for index = 2, #ARGV, 2 do
  if tonumber(redis.call('hget', KEYS[1], ARGV[index]) or 0) >= tonumber(ARGV[index + 1]) then return 0 end
end
for index = 2, #ARGV, 2 do redis.call('hincrby', KEYS[1], ARGV[index], 1) end
redis.call('pexpire', KEYS[1], ARGV[1])
return 1`

/** KEYS: the counters of a window. ARGV: the counters. */
const GIVE_BACK = `
for index = 1, #ARGV do
  if tonumber(redis.call('hget', KEYS[1], ARGV[index]) or 0) > 0 then redis.call('hincrby', KEYS[1], ARGV[index], -1) end
end`

/** An attempt that was counted. */
export interface Attempt {
  /** Makes the attempt not count: it was successful. */
  giveBack(): Promise<void>
}

/**
 * Counts an attempt at something that is guessed, such as a password, in fixed windows of fifteen minutes that all processes share.
 * Call it before the work, so that parallel attempts count, too. An attempt that is refused counts for no key: a network that is over
 * its limit cannot use up the attempts of further e-mail addresses.
 * @param action attempts at different actions are counted apart
 * @param whose what the attempts are counted by, such as `email` and `network`; Redis gets keyed hashes of it. `email` may be tried more
 * often than the others
 * @throws AppError `rate_limited`
 */
export async function countAttempt(
  { redis, config, now }: Pick<Services, 'redis' | 'config' | 'now'>,
  action: string,
  whose: Partial<Record<'email' | 'emailInNetwork' | 'network' | 'browser' | 'login' | 'share', string>>,
): Promise<Attempt> {
  const at = now().getTime()
  const window = Math.floor(at / WINDOW_MS)
  const key = `attempts:${window}`
  const secretKey = Buffer.from(config.secretKey, 'hex')
  const counters = Object.entries(whose).map(([kind, value]) =>
    keyedHash(secretKey, `attempt\n${action}\n${kind}\n${value}`, 'base64url').slice(0, 22),
  )
  const limited = Object.keys(whose).flatMap((kind, index) => [
    counters[index]!,
    kind === 'email' ? MAX_ATTEMPTS_OF_EMAIL : MAX_ATTEMPTS,
  ])
  const isCounted = await answered(redis.eval(COUNT, 1, key, 2 * WINDOW_MS, ...limited))
  if (isCounted !== 1) {
    throw new AppError('rate_limited', 'Too many attempts in 15 minutes; try again later', {
      retryAfter: Math.ceil(((window + 1) * WINDOW_MS - at) / 1000),
    })
  }
  return {
    async giveBack() {
      await answered(redis.eval(GIVE_BACK, 1, key, ...counters))
    },
  }
}
