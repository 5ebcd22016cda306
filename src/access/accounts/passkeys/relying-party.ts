import { isIP } from 'node:net'
import type { Config } from '../../../platform/config/config.ts'
import { AppError } from '../../../platform/errors.ts'

/** The service as authenticators know it: a passkey belongs to this id, and pages of this origin may use it. */
export interface RelyingParty {
  id: string
  origin: string
}

/** Returns why the service offers no passkeys; undefined when it does. */
export function passkeyObstacle({
  baseUrl,
  hasPasswords,
}: Pick<Config, 'baseUrl' | 'hasPasswords'>): string | undefined {
  if (!hasPasswords) return 'This service is signed in to with single sign-on alone'
  const { protocol, hostname } = new URL(baseUrl)
  // The host of an IPv6 address stands in brackets.
  if (isIP(hostname) > 0 || hostname.startsWith('[')) {
    return 'Passkeys need a host name: the address of this service (BASE_URL) is an IP address'
  }
  if (protocol !== 'https:' && !/(^|\.)localhost$/.test(hostname)) {
    return 'Passkeys need https: the address of this service (BASE_URL) begins with http'
  }
  return undefined
}

/** @throws AppError `forbidden` when the service offers no passkeys */
export function relyingParty(config: Pick<Config, 'baseUrl' | 'hasPasswords'>): RelyingParty {
  const obstacle = passkeyObstacle(config)
  if (obstacle !== undefined) throw new AppError('forbidden', obstacle)
  const { hostname, origin } = new URL(config.baseUrl)
  return { id: hostname, origin }
}
