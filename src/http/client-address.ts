import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { canonicalAddress } from '../platform/net/canonical-address.ts'
import type { Log } from '../platform/runtime/log.ts'

/**
 * Returns a function that looks at `X-Forwarded-For` of requests, and logs one warning when a request has it while no proxy is trusted:
 * the limits and the visitors of all its clients would be one.
 */
export function createProxyWarning(log: Pick<Log, 'warn'>, trustedHops: number) {
  let isDone = trustedHops > 0
  return (forwardedFor: unknown): void => {
    if (isDone || forwardedFor === undefined) return
    isDone = true
    log.warn(
      {},
      'requests have X-Forwarded-For, but TRUST_PROXY is 0: behind a proxy, set it to the number of proxies, else all clients have one address',
    )
  }
}

/**
 * Returns the address of the client: the peer's, or behind `trustedHops` proxies the entry that the outermost of them
 * wrote into `X-Forwarded-For`. Do not trust entries further left: the sender can write anything there.
 */
export function clientAddress(request: IncomingMessage, trustedHops: number): string {
  const header = request.headers['x-forwarded-for']
  const text = Array.isArray(header) ? header.join(',') : header
  return addressBehind(request.socket.remoteAddress, text, trustedHops)
}

/**
 * Returns the address of the client, as `clientAddress`, in the form of `canonicalAddress`.
 * @param remoteAddress address of the peer, as its socket says it
 * @param forwardedFor value of `X-Forwarded-For`
 */
export function addressBehind(remoteAddress = '', forwardedFor = '', trustedHops: number): string {
  if (trustedHops === 0) return canonicalAddress(remoteAddress)
  const hops = forwardedFor.split(',')
  const claimed = canonicalAddress(hops.at(-trustedHops) ?? hops[0] ?? '')
  return isIP(claimed) ? claimed : canonicalAddress(remoteAddress)
}
