import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

/** Longest domain including its port (RFC 1123). */
const MAX_LENGTH = 255
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' }

/** Returns whether a `{siteKey}` is an id; any other value is a domain. */
export function isUuid(value: string): boolean {
  return UUID.test(value.toLowerCase())
}

/**
 * Returns the canonical form of a site's domain: lower case, punycode, with the port unless it is the default of the
 * given scheme. Surrounding spaces, a scheme, a path and a trailing dot are removed.
 * @returns undefined when the rest is not a host name or IP address
 */
export function normalizeDomain(given: string): string | undefined {
  const text = given.trim().toLowerCase()
  const [prefix = '', scheme] = /^(?:([a-z][a-z0-9+.-]*):)?\/\//.exec(text) ?? []
  const rest = text.slice(prefix.length)
  const host = /^[^/?#]*/.exec(rest)![0]
  if (isIPv6(host)) return canonicalIPv6(host)
  const [, name, digits] = /^(\[.*\]|[^:]*)(?::(\d*))?$/s.exec(host) ?? []
  if (name === undefined) return undefined
  const port = portOf(digits, scheme)
  const hostName = name.startsWith('[') ? canonicalIPv6(name.slice(1, -1)) : canonicalName(name)
  if (hostName === undefined || port === undefined) return undefined
  const domain = hostName + port
  return domain.length <= MAX_LENGTH ? domain : undefined
}

/** `:port` without leading zeros; empty without a port or for the scheme's default; undefined when out of range. */
function portOf(digits: string | undefined, scheme: string | undefined): string | undefined {
  if (!digits) return ''
  const port = Number(digits)
  if (port < 1 || port > 65_535) return undefined
  return scheme !== undefined && DEFAULT_PORTS[scheme] === String(port) ? '' : `:${port}`
}

function canonicalName(given: string): string | undefined {
  // Refuse all other ASCII characters here: domainToASCII would decode, map or cut them instead of refusing them.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything below U+0080 is meant
  if (/[\u0000-\u007f]/.test(given.replace(/[a-z0-9.-]/g, ''))) return undefined
  const ascii = /^[a-z0-9.-]*$/.test(given) && !given.includes('xn--') ? given : domainToASCII(given)
  const name = ascii.replace(/\.$/, '')
  const labels = name.split('.')
  if (!labels.every(label => LABEL.test(label))) return undefined
  // A name whose last label is a number must be an IPv4 address.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!) && !isIPv4(name)) return undefined
  // A name in the form of a UUID could not be distinguished from a site's id.
  return isUuid(name) ? undefined : name
}

function canonicalIPv6(address: string): string | undefined {
  return isIPv6(address) && !address.includes('%') ? new URL(`http://[${address}]`).hostname : undefined
}
