import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * The address of whoever sent the request: the peer's, or behind `trustedHops` proxies what the outermost of them
 * wrote into `X-Forwarded-For`. What is further left was written by the sender and proves nothing.
 */
export function clientAddress(request: IncomingMessage, trustedHops: number): string {
  const peer = withoutMapping(request.socket.remoteAddress ?? '')
  if (trustedHops === 0) return peer
  const header = request.headers['x-forwarded-for']
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  if (isIP(text) && !text.startsWith('::ffff:')) return text
  const hops = text.split(',').map(hop => hop.trim())
  const claimed = withoutMapping(withoutPort(hops.at(-trustedHops) ?? hops[0] ?? ''))
  return isIP(claimed) ? claimed : peer
}

/** `::ffff:192.0.2.1` is the IPv4 address of a dual-stack socket. */
const withoutMapping = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop
}
