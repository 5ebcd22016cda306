import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the one form of a client address that all its spellings have: without brackets, port and zone, IPv6 as RFC 5952 writes it, and
 * an IPv4 address that is mapped into IPv6 as IPv4. Visitor ids, countries and limits depend on it.
 * @returns the text itself when it is no address
 */
export function canonicalAddress(given: string): string {
  if (isIPv4(given)) return given
  const address = withoutPort(given.trim()).replace(/%.*$/s, '')
  if (isIPv6(address)) return withoutMapping(new URL(`http://[${address}]`).hostname.slice(1, -1))
  // Some logs pad numbers with zeros.
  const plain = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) ? address.split('.').map(Number).join('.') : ''
  return isIPv4(plain) ? plain : given
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (address: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address

/** A dual-stack socket shows an IPv4 address as `::ffff:192.0.2.1`, which is written as `::ffff:c000:201` here. */
function withoutMapping(address: string): string {
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  return [high, low]
    .flatMap(group => [Number.parseInt(group, 16) >>> 8, Number.parseInt(group, 16) & 255])
    .join('.')
}
