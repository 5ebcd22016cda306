import { AppError, invalidField } from '../../../platform/errors.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { answered } from '../../../platform/redis/connect-redis.ts'
import type { Services } from '../../../platform/services.ts'
import { hashSecret, isSecret, newSecret } from '../secrets.ts'
import { type Expected, newSignIn, type OidcSettings } from './provider.ts'

/** How long a person has at the provider. */
export const FLOW_MS = 10 * MINUTE_MS

/** A sign-in that was started and is at the provider. */
export interface Flow {
  expected: Expected
  /** Path of this service to go to afterwards. */
  returnTo: string
  /** SHA-256, hex, of the secret of the link that the person has opened. */
  link?: string
  /** The session that asked to link its login. */
  linking?: { loginId: string; sessionId: string }
}

const keyOf = (cookie: string) => `single-sign-on:${hashSecret(cookie).toString('base64url')}`

/** @throws AppError `not_found` */
export function settingsOf({ oidc }: Pick<Services['config'], 'oidc'>): OidcSettings {
  if (!oidc) throw new AppError('not_found', 'Single sign-on is not set up in this service')
  return oidc
}

export const redirectUri = (baseUrl: string): string => `${baseUrl}/api/auth/oidc/callback`

/**
 * Starts a sign-in.
 * @param options.link secret of a link that the person has opened
 * @param options.isAgain the provider asks the person again, also when they are signed in there
 * @returns the address at the provider, and a secret for a cookie of this browser, without which the answer is worth nothing
 * @throws AppError `unavailable` when the provider cannot be reached
 */
export async function startFlow(
  { redis, config, now }: Pick<Services, 'redis' | 'config' | 'now'>,
  options: {
    returnTo?: string | undefined
    link?: string | undefined
    linking?: Flow['linking']
    isAgain?: boolean
  },
): Promise<{ url: string; cookie: string }> {
  const { link, linking, isAgain = false } = options
  const oidc = settingsOf(config)
  const returnTo = pathOfService(options.returnTo ?? '/')
  const { url, expected } = await newSignIn(oidc, redirectUri(config.baseUrl), { isAgain }, now())
  const flow: Flow = {
    expected,
    returnTo,
    ...(link !== undefined && { link: hashSecret(link).toString('hex') }),
    ...(linking && { linking }),
  }
  const cookie = newSecret()
  await answered(redis.set(keyOf(cookie), JSON.stringify(flow), 'PX', FLOW_MS))
  return { url, cookie }
}

/** Takes the sign-in that was started in this browser; each can be taken once. */
export async function takeFlow(
  { redis }: Pick<Services, 'redis'>,
  cookie: string | undefined,
): Promise<Flow | undefined> {
  if (cookie === undefined || !isSecret(cookie)) return undefined
  const kept = await answered(redis.getdel(keyOf(cookie)))
  return kept === null ? undefined : (JSON.parse(kept) as Flow)
}

const MAX_PATH = 2_000

/**
 * Returns the path if it leads to a page of this service. Browsers read `//host` and `/\host` as another host, and leave out tabs and
 * line breaks.
 * @throws AppError `validation_failed`
 */
function pathOfService(path: string): string {
  const isOurs = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) && path.length <= MAX_PATH
  if (!isOurs) throw invalidField('return_to', 'return_to must be a path of this service, such as /')
  return path
}
