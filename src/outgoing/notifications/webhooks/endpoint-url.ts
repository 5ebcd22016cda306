import { isIP } from 'node:net'
import type { Config } from '../../../platform/config/config.ts'
import { isPublicAddress } from '../../../platform/net/public-addresses.ts'
import { isWebUrl } from '../../../platform/net/public-fetch.ts'

export const MOST_URL = 2_048

type Networks = Config['webhookNetworks']

/** Returns whether a connection to an address is allowed. Without TLS only private networks that are allowed. */
export function isReachable(networks: Networks, protocol: string, address: string): boolean {
  if (protocol === 'https:' && isPublicAddress(address)) return true
  const family = isIP(address)
  return family !== 0 && networks?.check(address, family === 4 ? 'ipv4' : 'ipv6') === true
}

/** Returns what is wrong with the URL of an endpoint; undefined when it may be used. Names are looked up with each attempt. */
export function problemOfUrl(text: string, networks: Networks): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/webhook'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && networks)) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password'
  if (url.href.length > MOST_URL) return `must be at most ${MOST_URL} characters`
  if (!isWebUrl(url)) return 'must have the port 80 or 443, or one from 1024'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) && !isReachable(networks, url.protocol, host)) return 'must not name a private address'
  return undefined
}

/** Returns the URL as it is sent: without a fragment. */
export function sentUrl(text: string): string {
  const url = new URL(text)
  url.hash = ''
  return url.href
}

/** Returns what is stored readably of a URL: its path and its query may be secrets. */
export function shownUrl(text: string): string {
  const { origin, pathname, search } = new URL(text)
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`
}
